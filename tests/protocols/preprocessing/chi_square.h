// Counts against the shares that they should have.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace sotto::protocols::testing {

inline double chi_square(const std::vector<double>& counts, const std::vector<double>& shares) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = all * shares[i];
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}

// Upper 1e-9 points of chi-square, by degrees of freedom.
inline constexpr double limit_1 = 37.4;
inline constexpr double limit_4 = 49.6;
inline constexpr double limit_9 = 62.9;

}  // namespace sotto::protocols::testing
