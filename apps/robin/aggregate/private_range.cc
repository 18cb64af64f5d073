#include "sotto/apps/robin/aggregate/private_range.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sotto::apps {

std::vector<std::uint64_t> range_costs(std::span<const std::uint64_t> counts) {
  std::vector<std::uint64_t> costs(counts.size());
  std::uint64_t below = 0;
  std::uint64_t above = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    above -= counts[bin];
    costs[bin] = std::max(below, above);
    below += counts[bin];
  }
  return costs;
}

// By rejection: the cheapest bin is always accepted, so that it takes as many trials as there are bins at most, on
// average.
std::size_t exponential_mechanism(Coins& coins, std::span<const std::uint64_t> costs, Ratio eta) {
  if (costs.empty()) throw std::invalid_argument("a choice among nothing");
  const std::uint64_t least = *std::min_element(costs.begin(), costs.end());
  for (;;) {
    const std::size_t tried = coins.below(costs.size());
    if (bernoulli_exp(coins, {eta.numerator * (costs[tried] - least), eta.denominator})) {
      return tried;
    }
  }
}

}  // namespace sotto::apps
