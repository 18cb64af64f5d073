// The rewards of an O3M run, for each arm in each step. Only the active participant reads the environment.
//
// The environment is a CSV file (apps/kit/files/table.h) in long form (apps/prepare/data/contexts.h):
// t,arm,reward[,mean]. The column `mean` has the expected reward, from which this class computes regret. An error names
// file:line, steps and arms, never a reward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sotto::apps::o3m {

inline constexpr double largest_o3m_reward = 1e6;

class O3mEnvironment {
 public:
  [[nodiscard]] static O3mEnvironment read(const std::filesystem::path& path);

  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] std::size_t arms() const { return arms_; }
  [[nodiscard]] std::uint64_t first_step() const { return first_step_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool has_means() const { return !means_.empty(); }
  // Steps and arms are numbered from 0. Throws std::out_of_range.
  [[nodiscard]] double reward(std::size_t t, std::size_t arm) const;
  [[nodiscard]] std::optional<double> mean(std::size_t t, std::size_t arm) const;
  // Returns the largest mean of the step minus the mean of the arm.
  [[nodiscard]] std::optional<double> regret(std::size_t t, std::size_t arm) const;

 private:
  O3mEnvironment() = default;
  [[nodiscard]] std::size_t index(std::size_t t, std::size_t arm) const;

  std::size_t steps_ = 0;
  std::size_t arms_ = 0;
  std::uint64_t first_step_ = 0;
  std::string file_;
  std::vector<double> rewards_;
  std::vector<double> means_;  // by [t][arm]; empty if the file has no means
};

}  // namespace sotto::apps::o3m
