#include "sotto/apps/kit/learn/score_noise.h"

#include <algorithm>
#include <cmath>

namespace sotto::apps {
namespace {

// Of an arm's variance: less than that is what rounding leaves of none.
constexpr double rounding = 1e-11;
// Irrational, so that variances with a simple ratio do not fall on the boundary.
constexpr double near_largest = 0.8284271247461901;  // sqrt(8) - 2

std::size_t next_pivot(const double* variance, std::size_t arms) {
  const double enough = near_largest * *std::max_element(variance, variance + arms);
  return static_cast<std::size_t>(std::find_if(variance, variance + arms, [&](double left) { return left >= enough; }) -
                                  variance);
}

}  // namespace

ScoreNoise::ScoreNoise(std::size_t arms) : arms_(arms), columns_(arms * arms), variance_(arms), least_(arms) {}

void ScoreNoise::add(std::span<double> scores, const double* covariance, std::size_t stride, double v,
                     std::span<const double> e, std::size_t rank) {
  double* variance = variance_.data();
  for (std::size_t k = 0; k < arms_; ++k) {
    variance[k] = covariance[k * stride + k];
    least_[k] = rounding * variance[k];
  }
  for (std::size_t m = 0; m < std::min(arms_, rank); ++m) {
    const std::size_t pivot = next_pivot(variance, arms_);
    if (!(variance[pivot] > 0)) return;
    double* column = columns_.data() + m * arms_;
    for (std::size_t k = 0; k < arms_; ++k) {
      column[k] = k < pivot ? covariance[pivot * stride + k] : covariance[k * stride + pivot];
    }
    for (std::size_t t = 0; t < m; ++t) {
      const double* earlier = columns_.data() + t * arms_;
      const double factor = earlier[pivot];
      for (std::size_t k = 0; k < arms_; ++k) column[k] -= factor * earlier[k];
    }
    const double deviation = std::sqrt(variance[pivot]);
    const double noise = v * e[pivot];
    for (std::size_t k = 0; k < arms_; ++k) {
      // Arms without variance left are done.
      column[k] = variance[k] > 0 ? column[k] / deviation : 0;
      scores[k] += noise * column[k];
      variance[k] -= column[k] * column[k];
      if (variance[k] <= least_[k]) variance[k] = 0;
    }
    variance[pivot] = 0;
  }
}

}  // namespace sotto::apps
