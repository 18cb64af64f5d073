// The simulated environment of a run: the reward of each arm in each row. Only the actor and the rewarder read the
// environment, never a compute party.
//
// The file (a CSV as in apps/kit/files/table.h) has either
// - a column `label` of integers from 0: in each row the arm with this number earns 1, and every other arm earns 0; or
// - columns `reward_0` .. `reward_{K-1}`, in any order: the reward of each arm in that row, a real in [-1, 1].
// A file with both kinds of columns is refused. Columns of other names are ignored.
//
// The number of arms K is 1 + the largest label, and every number from 0 to K-1 must then occur as a label. With reward
// columns, K is the number of reward columns. A caller may ask for more arms than there are labels; the additional arms
// never earn anything. Errors are InputError and name file:line:column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "apps/kit/files/table.h"

namespace sotto::apps::prepare {

inline constexpr std::size_t max_arms = 1024;

// An integer from 0 that is below `arms`, or below max_arms if `arms` is not given.
[[nodiscard]] std::uint32_t read_label(const Table& table, std::size_t row, std::size_t column,
                                       std::optional<std::size_t> arms = std::nullopt);

class Environment {
 public:
  [[nodiscard]] static Environment read(const std::filesystem::path& path,
                                        std::optional<std::size_t> arms = std::nullopt);
  [[nodiscard]] static Environment from_table(const Table& table, std::optional<std::size_t> arms = std::nullopt);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t arms() const { return arms_; }
  // True if every reward is 0 or 1, so that rewards need no fraction bits.
  [[nodiscard]] bool binary_rewards() const { return binary_rewards_; }
  // In [-1, 1]. Throws std::out_of_range.
  [[nodiscard]] double reward(std::size_t row, std::size_t arm) const;
  [[nodiscard]] double best_reward(std::size_t row) const;

 private:
  Environment() = default;

  std::size_t rows_ = 0;
  std::size_t arms_ = 0;
  bool binary_rewards_ = true;
  std::vector<std::uint32_t> labels_;
  std::vector<double> rewards_;  // rows x arms, or empty
};

}  // namespace sotto::apps::prepare
