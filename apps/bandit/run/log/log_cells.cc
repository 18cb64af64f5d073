#include "apps/bandit/run/log/log_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

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

using Pair = std::pair<double, double>;

// The distinct pairs of weights of the evaluated events.
std::vector<Pair> pairs_of(const LogWeights& weights, std::uint64_t first) {
  std::set<Pair> pairs;
  for (std::uint64_t event = first; event < weights.weights.size(); ++event) {
    pairs.emplace(weights.weights[event], weights.otherwise[event]);
  }
  return {pairs.begin(), pairs.end()};
}

[[noreturn]] void refuse_pairs(const EventLog& log, const LogCells& cells, std::size_t pairs, std::size_t most) {
  const std::size_t needed = cells.segments * cells.rewards.size() * pairs;
  if (needed <= most_cells / 2) {
    throw InputError(log.file(), fmt::format("probabilities and rewards of its events need {} cells, not {}: set "
                                             "--cells {}",
                                             needed, most, needed));
  }
  throw InputError(
      log.file(),
      fmt::format(
          "columns 'best_probability' and 'least_probability': {}, {} of rewards and {} make {} cells, and {} can "
          "be split. Evaluate a part of the log in which exploration and the number of arms stay the same{}",
          counted(pairs, "pair"), counted(cells.rewards.size(), "level"), counted(cells.segments, "segment"), needed,
          most_cells / 2, cells.segments > 1 ? ", or join segments" : ""));
}

// Sets the levels, and returns the level of each evaluated event.
std::vector<std::size_t> levels_of_pairs(const EventLog& log, const LogWeights& weights, std::uint64_t first,
                                         std::size_t most, LogCells& cells) {
  const std::vector<Pair> pairs = pairs_of(weights, first);
  if (pairs.size() * cells.segments * cells.rewards.size() > most) refuse_pairs(log, cells, pairs.size(), most);
  for (const auto& [best, otherwise] : pairs) {
    cells.weights.push_back(best);
    cells.otherwise.push_back(otherwise);
  }
  std::vector<std::size_t> levels;
  for (std::uint64_t event = first; event < weights.weights.size(); ++event) {
    const Pair own{weights.weights[event], weights.otherwise[event]};
    levels.push_back(static_cast<std::size_t>(std::lower_bound(pairs.begin(), pairs.end(), own) - pairs.begin()));
  }
  return levels;
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

double LogCells::largest_weight() const {
  const std::vector<double>& all = by_best() ? otherwise : weights;
  return *std::max_element(all.begin(), all.end());
}

std::vector<std::uint64_t> LogCells::events() const {
  std::vector<std::uint64_t> events(count(), 0);
  for (const std::size_t cell : of_event) ++events[cell];
  return events;
}

LogCells log_cells(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                   const LogWeights& weights, std::size_t most, const std::function<double()>& uniform) {
  std::vector<double> rewards;
  for (std::uint64_t event = first; event < rows.size(); ++event) rewards.push_back(log.reward(rows[event]));
  const std::vector<double> evaluated(weights.weights.begin() + static_cast<std::ptrdiff_t>(first),
                                      weights.weights.end());
  LogCells cells;
  cells.rewards = levels_of_rewards(rewards, reward_range(log, rows));
  cells.segments = std::max<std::size_t>(1, log.segments().size());
  std::vector<std::size_t> pairs;
  if (weights.by_best()) {
    pairs = levels_of_pairs(log, weights, first, most, cells);
  } else {
    const std::size_t room = std::min(most_weight_levels, most / (cells.segments * cells.rewards.size()));
    const std::size_t fewest = distinct(evaluated, 1).empty() ? 2 : 1;
    if (room < fewest) refuse_cells(log, cells, fewest * cells.rewards.size(), most);
    cells.weights = levels_of_weights(evaluated, room);
  }
  cells.of_event.reserve(rewards.size());
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    const std::size_t segment = log.segments().empty() ? 0 : log.segment(rows[first + i]);
    const std::size_t weight = weights.by_best() ? pairs[i] : level_of(evaluated[i], cells.weights, uniform);
    cells.of_event.push_back((segment * cells.weights.size() + weight) * cells.rewards.size() +
                             level_of(rewards[i], cells.rewards, uniform));
  }
  return cells;
}

}  // namespace sotto::apps::bandit::run
