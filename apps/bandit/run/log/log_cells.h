// The cells into which the owner of a log divides the evaluated events, using only its own data. If a log has more than
// most_weight_levels distinct weights, the levels of weights have a constant ratio q. A weight between two levels goes
// to one of them at random and without bias, so the expected sum over levels is the sum of the weights. This choice
// increases the second moment of a weight by a fraction of at most (q - 1)^2 / 4 q.
//
// In a log whose probabilities depend on the best arm, each distinct pair of probabilities is a level of its own, and
// has two weights. A run opens two counts of each cell, one for each weight.
//
// The number of cells is public, but the levels are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "apps/bandit/run/log/event_log.h"
#include "apps/bandit/run/log/log_weights.h"

namespace sotto::apps::bandit::run {

inline constexpr std::size_t most_weight_levels = 6;
inline constexpr std::size_t reward_levels = 5;

struct RewardRange {
  double low = 0;
  double high = 0;

  [[nodiscard]] double width() const { return high - low; }
};
// The smallest and the largest reward. If all rewards are the same, the range also includes 0.
[[nodiscard]] RewardRange reward_range(const EventLog& log, const std::vector<std::uint64_t>& rows);

struct LogCells {
  std::vector<double> weights;  // levels in ascending order; of a pair of probabilities, the weight if the arm was best
  std::vector<double> rewards;  // levels in ascending order
  // The cell of each event: (segment * weights.size() + weight) * rewards.size() + reward.
  std::vector<std::size_t> of_event;
  std::size_t segments = 1;
  // For each level, the weight if the arm was not the best. Empty unless probabilities depend on the best arm.
  std::vector<double> otherwise{};

  [[nodiscard]] bool by_best() const { return !otherwise.empty(); }
  [[nodiscard]] std::size_t of_a_segment() const { return weights.size() * rewards.size(); }
  [[nodiscard]] std::size_t count() const { return segments * of_a_segment(); }
  [[nodiscard]] std::size_t segment(std::size_t cell) const { return cell / of_a_segment(); }
  [[nodiscard]] double weight(std::size_t cell) const { return weights[level(cell)]; }
  [[nodiscard]] double weight_otherwise(std::size_t cell) const { return otherwise[level(cell)]; }
  [[nodiscard]] double largest_weight() const;
  [[nodiscard]] double reward(std::size_t cell) const { return rewards[cell % rewards.size()]; }
  [[nodiscard]] std::vector<std::uint64_t> events() const;

 private:
  [[nodiscard]] std::size_t level(std::size_t cell) const { return cell / rewards.size() % weights.size(); }
};

// Event t is row rows[t], with weight weights.weights[t]. `uniform` returns numbers in [0, 1). A segment needs cells
// for all levels of rewards and two levels of weights (one, if all weights are the same). If probabilities depend on
// the best arm, a segment needs a level for each pair of probabilities. Throws InputError if `most` cells are too few.
[[nodiscard]] LogCells log_cells(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                 const LogWeights& weights, std::size_t most, const std::function<double()>& uniform);

}  // namespace sotto::apps::bandit::run
