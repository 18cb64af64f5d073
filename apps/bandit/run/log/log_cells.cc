#include "apps/bandit/run/log/log_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

std::vector<double> distinct(const std::vector<double>& values, std::size_t most) {
  std::set<double> seen;
  for (const double value : values) {
    if (seen.insert(value).second && seen.size() > most) return {};
  }
  return {seen.begin(), seen.end()};
}

std::vector<double> ladder(double least, double largest, std::size_t most) {
  const double ratio = std::max(2., std::pow(largest / least, 1 / static_cast<double>(most - 1)));
  std::vector<double> levels{largest};
  while (levels.size() + 1 < most && levels.back() / ratio > least * 1.000001) levels.push_back(levels.back() / ratio);
  levels.push_back(least);
  return {levels.rbegin(), levels.rend()};
}

std::vector<double> levels_of_weights(const std::vector<double>& weights, std::size_t most) {
  std::vector<double> few = distinct(weights, most);
  if (!few.empty()) return few;
  const auto [least, largest] = std::minmax_element(weights.begin(), weights.end());
  return ladder(*least, *largest, most);
}

std::vector<double> levels_of_rewards(const std::vector<double>& rewards, const RewardRange& range) {
  std::vector<double> few = distinct(rewards, 2);
  if (few.size() == 2) return few;
  if (few.size() == 1) return range.low < range.high ? std::vector{range.low, range.high} : few;
  std::vector<double> levels;
  for (std::size_t i = 0; i < reward_levels; ++i) {
    levels.push_back(range.low + range.width() * static_cast<double>(i) / (reward_levels - 1));
  }
  return levels;
}

// Chooses one of the two levels around `value` at random, so that the expected level is `value`.
std::size_t level_of(double value, const std::vector<double>& levels, const std::function<double()>& uniform) {
  const auto above = std::upper_bound(levels.begin(), levels.end(), value);
  if (above == levels.begin()) return 0;
  const auto below = static_cast<std::size_t>(above - levels.begin()) - 1;
  if (above == levels.end() || levels[below] == value) return below;
  return below + (uniform() < (value - levels[below]) / (*above - levels[below]) ? 1 : 0);
}

[[noreturn]] void refuse_cells(const EventLog& log, const LogCells& cells, std::size_t of_a_segment, std::size_t most) {
  const std::size_t needed = cells.segments * of_a_segment;
  if (needed <= most_cells) {
    throw InputError(log.file(),
                     fmt::format("weights and rewards of its events need {} cells at least, not {}: set --cells {}",
                                 needed, most, needed));
  }
  throw InputError(
      log.file(), fmt::format("{} of {} cells each are more than the {} that an evaluation has: join segments until "
                              "{} are left",
                              counted(cells.segments, "segment"), of_a_segment, most_cells, most_cells / of_a_segment));
}

}  // namespace

RewardRange reward_range(const EventLog& log, const std::vector<std::uint64_t>& rows) {
  RewardRange range{log.reward(rows.front()), log.reward(rows.front())};
  for (const std::uint64_t row : rows) {
    range.low = std::min(range.low, log.reward(row));
    range.high = std::max(range.high, log.reward(row));
  }
  if (log.binary_rewards() || range.low == range.high) {
    range.low = std::min(range.low, 0.);
    range.high = std::max(range.high, log.binary_rewards() ? 1. : 0.);
  }
  return range;
}

std::vector<std::uint64_t> LogCells::events() const {
  std::vector<std::uint64_t> events(count(), 0);
  for (const std::size_t cell : of_event) ++events[cell];
  return events;
}

LogCells log_cells(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                   const std::vector<double>& weights, std::size_t most, const std::function<double()>& uniform) {
  std::vector<double> rewards;
  for (std::uint64_t event = first; event < rows.size(); ++event) rewards.push_back(log.reward(rows[event]));
  const std::vector<double> evaluated(weights.begin() + static_cast<std::ptrdiff_t>(first), weights.end());
  LogCells cells;
  cells.rewards = levels_of_rewards(rewards, reward_range(log, rows));
  cells.segments = std::max<std::size_t>(1, log.segments().size());
  const std::size_t room = std::min(most_weight_levels, most / (cells.segments * cells.rewards.size()));
  const std::size_t fewest = distinct(evaluated, 1).empty() ? 2 : 1;
  if (room < fewest) refuse_cells(log, cells, fewest * cells.rewards.size(), most);
  cells.weights = levels_of_weights(evaluated, room);
  cells.of_event.reserve(rewards.size());
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    const std::size_t segment = log.segments().empty() ? 0 : log.segment(rows[first + i]);
    const std::size_t weight = level_of(evaluated[i], cells.weights, uniform);
    cells.of_event.push_back((segment * cells.weights.size() + weight) * cells.rewards.size() +
                             level_of(rewards[i], cells.rewards, uniform));
  }
  return cells;
}

}  // namespace sotto::apps::bandit::run
