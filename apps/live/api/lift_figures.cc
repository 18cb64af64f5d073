#include "apps/live/api/lift_figures.h"

#include <algorithm>
#include <cmath>

#include "apps/kit/dp/samplers.h"

namespace sotto::apps::live {
namespace {

double square(double x) { return x * x; }

}  // namespace

LiftEstimate lift_estimate(const LiftWords& counts, std::uint64_t windows, const LiftBasis& basis) {
  const std::size_t levels = basis.levels.size();
  if (levels == 0 || counts.size() != 3 * levels || windows == 0) return {};
  const auto count = [&](std::size_t kind, std::size_t level) {
    return static_cast<double>(static_cast<std::int64_t>(counts[kind * levels + level]));
  };
  const std::uint64_t most_rows = basis.windows.rows_per_subject;
  const auto rows = static_cast<double>(most_rows);
  const auto variance = [&](std::uint64_t times) {
    return discrete_laplace_variance(laplace_scale(basis.windows.epsilon, times * most_rows));
  };
  const double of_rewarder = static_cast<double>(windows) * variance(4);
  const double of_baseline = of_rewarder + static_cast<double>(windows * basis.parties) * variance(2);
  LiftEstimate result;
  double sum = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    result.events += count(0, level);
    sum += basis.levels[level] * count(0, level);
  }
  const double n = result.events;
  if (n <= 2.12 * std::sqrt(static_cast<double>(levels) * of_rewarder)) return {};
  const double share = basis.exploration / static_cast<double>(basis.arms);
  const double weights[] = {1 / (1 - basis.exploration + share), 1 / share};
  result.service = std::clamp(sum / n, basis.levels.front(), basis.levels.back());
  double moved = 0;
  double weight = 0;
  double squares = 0;
  double fourths = 0;
  double largest = 0;
  double noise = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const double excess = basis.levels[level] - result.service;
    double others = count(0, level);
    for (std::size_t kind = 0; kind < 2; ++kind) {
      const double g = weights[kind];
      const double agreed = count(kind + 1, level);
      moved += excess * g * agreed;
      weight += g * agreed;
      others -= agreed;
      squares += square(excess * (1 - g)) * agreed;
      fourths += square(square(excess * g));
      largest = std::max(largest, square(excess * g));
      noise += square(excess * g) * of_baseline;
    }
    squares += square(excess) * others;
  }
  // The noise in the counts of all events moves the lift through S, as much as the mean weight.
  for (const double level : basis.levels) noise += square((level - result.service) * weight / n) * of_rewarder;
  result.lift = (0. - moved) / n;  // never -0
  result.baseline = result.service - result.lift;
  const double s2 =
      std::max(0., squares / n - square(result.lift)) + std::sqrt(of_baseline * fourths) / n + 2 * largest / n;
  result.half = std::sqrt(4 * rows * s2 / n + square(2.12) * noise / square(n));
  return result;
}

}  // namespace sotto::apps::live
