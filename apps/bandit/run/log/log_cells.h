// The cells into which the owner of a log divides the events that are evaluated, by its own data alone: a segment of
// its own, such as a country, a level of the weight, which is one over the propensity, and a level of the reward.
//
// Weights have up to most_weight_levels levels: the log's distinct ones where they are so few, otherwise the largest,
// the least, and others between them of one ratio. Rewards have 2 levels where they take two values, otherwise 5 that
// are equally far apart. A number between two levels goes to one of them, at random and without bias: sums over levels
// are then right on the average. Between two levels of ratio q that adds at most the (q - 1)^2 / 4 q part of it to the
// second moment of a weight: an eighth at 2.
//
// The number of cells is public, the levels are not.
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

// Divided by the log's reward scale.
struct RewardRange {
  double low = 0;
  double high = 0;

  [[nodiscard]] double width() const { return high - low; }
};
// Of all rewards of the rows; of binary ones 0 to 1, and at least up or down to 0 where all are the same, as these say
// nothing of others.
[[nodiscard]] RewardRange reward_range(const EventLog& log, const std::vector<std::uint64_t>& rows);

struct LogCells {
  std::vector<double> weights;  // levels, rising
  std::vector<double> rewards;  // levels, rising, divided by the scale
  // Cell of each evaluated event: (segment * weights.size() + weight level) * rewards.size() + reward level.
  std::vector<std::size_t> of_event;
  std::size_t segments = 1;

  [[nodiscard]] std::size_t of_a_segment() const { return weights.size() * rewards.size(); }
  [[nodiscard]] std::size_t count() const { return segments * of_a_segment(); }
  [[nodiscard]] std::size_t segment(std::size_t cell) const { return cell / of_a_segment(); }
  [[nodiscard]] double weight(std::size_t cell) const { return weights[cell / rewards.size() % weights.size()]; }
  [[nodiscard]] double reward(std::size_t cell) const { return rewards[cell % rewards.size()]; }
  // How many events each has.
  [[nodiscard]] std::vector<std::uint64_t> events() const;
};

// Of the events from `first` on; event t is row rows[t], with weights[t]. `uniform` gives numbers in [0, 1). Throws
// InputError where `most` cells do not hold, of each segment, the levels of the rewards with two of the weights, or the
// only one.
[[nodiscard]] LogCells log_cells(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                                 const std::vector<double>& weights, std::size_t most,
                                 const std::function<double()>& uniform);

}  // namespace sotto::apps::bandit::run
