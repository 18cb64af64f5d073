// The cells into which the owner of a log divides the evaluated events, using only its own data. A cell is a segment of
// the owner's, such as a country, a level of the weight (one over the propensity), and a level of the reward.
//
// Weights have up to most_weight_levels levels. If the log has at most most_weight_levels distinct weights, these
// weights are the levels. If the log has more, the levels are the largest and the smallest weight, and further levels
// between these two at a constant ratio. Rewards have 2 levels if they take two values, otherwise 5 levels at equal
// distances. A number between two levels goes to one of them, at random and without bias, so sums over levels are right
// on average. Let q be the ratio of the two levels. The random choice increases the second moment of a weight by a
// fraction of at most (q - 1)^2 / 4 q. At q = 2 this fraction is an eighth.
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

// The range of rewards, divided by the log's reward scale.
struct RewardRange {
  double low = 0;
  double high = 0;

  [[nodiscard]] double width() const { return high - low; }
};
// The range of all rewards of the rows. For binary rewards the range is 0 to 1. If all rewards are the same, the range
// extends to 0, because equal rewards say nothing about other rewards.
[[nodiscard]] RewardRange reward_range(const EventLog& log, const std::vector<std::uint64_t>& rows);

struct LogCells {
  std::vector<double> weights;  // levels of weights, rising
  std::vector<double> rewards;  // levels of rewards, rising, divided by the scale
  // The cell of each evaluated event: (segment * weights.size() + weight level) * rewards.size() + reward level.
  std::vector<std::size_t> of_event;
  std::size_t segments = 1;

  [[nodiscard]] std::size_t of_a_segment() const { return weights.size() * rewards.size(); }
  [[nodiscard]] std::size_t count() const { return segments * of_a_segment(); }
  [[nodiscard]] std::size_t segment(std::size_t cell) const { return cell / of_a_segment(); }
  [[nodiscard]] double weight(std::size_t cell) const { return weights[cell / rewards.size() % weights.size()]; }
  [[nodiscard]] double reward(std::size_t cell) const { return rewards[cell % rewards.size()]; }
  // The number of events in each cell.
  [[nodiscard]] std::vector<std::uint64_t> events() const;
};

// The cells of the events from `first` on. Event t is row rows[t], and its weight is weights[t]. `uniform` returns
// numbers in [0, 1). Throws InputError if `most` cells are too few. Each segment needs one cell for each level of the
// rewards and each of at least two levels of the weights. If there is only one level of the weights, one is enough.
[[nodiscard]] LogCells log_cells(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                 const std::vector<double>& weights, std::size_t most,
                                 const std::function<double()>& uniform);

}  // namespace sotto::apps::bandit::run
