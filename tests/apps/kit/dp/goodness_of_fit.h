// Whether draws follow a distribution over the integers: Pearson's chi-square test.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace sotto::apps {

struct GoodnessOfFit {
  double statistic = 0;
  double cells = 0;

  // Above 5, chance gives about one in a million (Wilson, Hilferty 1931: the cube root of chi-square over its degrees
  // of freedom is nearly normal).
  [[nodiscard]] double normal_score() const {
    const double freedom = cells - 1;
    const double spread = 2 / (9 * freedom);
    return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
  }
};

// weight(x): the probability of x, up to a factor, negligible outside [-reach, reach]. Integers are taken together,
// from left to right, until a cell expects 20 draws or more.
inline GoodnessOfFit fit_of(const std::function<std::int64_t()>& draw,
                            const std::function<double(std::int64_t)>& weight, std::int64_t reach, std::size_t draws) {
  std::map<std::int64_t, double> seen;
  double beyond = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const std::int64_t x = draw();
    if (std::abs(x) <= reach) {
      ++seen[x];
    } else {
      ++beyond;
    }
  }
  double total = 0;
  for (std::int64_t x = -reach; x <= reach; ++x) total += weight(x);
  const double n = static_cast<double>(draws);
  GoodnessOfFit fit;
  double expected = 0;
  double observed = 0;
  double left = n;  // expected draws of cells still to come
  for (std::int64_t x = -reach; x <= reach; ++x) {
    expected += n * weight(x) / total;
    const auto found = seen.find(x);
    if (found != seen.end()) observed += found->second;
    if (x == reach) observed += beyond;
    if ((expected < 20 || left - expected < 20) && x != reach) continue;
    fit.statistic += (observed - expected) * (observed - expected) / expected;
    ++fit.cells;
    left -= expected;
    expected = observed = 0;
  }
  return fit;
}

}  // namespace sotto::apps
