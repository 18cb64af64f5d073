#include "apps/robin/local_ucb.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/kit/learn/ridge.h"
#include "apps/kit/learn/symmetric_eigen.h"

namespace sotto::apps::robin {
namespace {

// Each direction in which no x has a component is an eigenvector of G with the eigenvalue 0. An eigenvalue below this
// fraction of the largest eigenvalue counts as 0.
constexpr double negligible = 1e-10;
// In the factorisation of G, a pivot below this fraction of G's largest diagonal entry may be a rounding error. The
// eigenvalues then decide which directions exist.
constexpr double telling = 1e-5;

}  // namespace

LeastSquares::LeastSquares(std::size_t dimension)
    : dimension_(dimension), factor_(dimension * dimension), column_(dimension) {}

void LeastSquares::solve(std::span<const double> triangle, std::span<const double> moments, std::span<double> out) {
  if (!factorize(triangle, 0)) return solve_singular(triangle, moments, out);
  std::copy(moments.begin(), moments.end(), out.begin());
  substitute(out);
}

void LeastSquares::invert(std::span<const double> triangle, double ridge, std::span<double> inverse) {
  const std::size_t d = dimension_;
  factorize(triangle, ridge);
  for (std::size_t j = 0; j < d; ++j) {
    std::fill(column_.begin(), column_.end(), 0.0);
    column_[j] = 1;
    substitute(column_);
    for (std::size_t i = 0; i < d; ++i) inverse[i * d + j] = column_[i];
  }
}

bool LeastSquares::factorize(std::span<const double> triangle, double ridge) {
  const std::size_t d = dimension_;
  double largest = 0;
  double least = INFINITY;
  const double* entry = triangle.data();
  for (std::size_t i = 0; i < d; ++i) {
    double* row = factor_.data() + i * d;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = factor_.data() + j * d;
      double sum = *entry++ + (i == j ? ridge : 0);
      if (i == j) largest = std::max(largest, sum);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i) {
        row[j] = sum / other[j];
        continue;
      }
      least = std::min(least, sum);
      if (!(sum > telling * largest) && ridge == 0) return false;
      row[i] = std::sqrt(sum);
    }
  }
  return ridge > 0 || least > telling * largest;
}

void LeastSquares::substitute(std::span<double> values) const {
  const std::size_t d = dimension_;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) values[i] -= factor_[i * d + j] * values[j];
    values[i] /= factor_[i * d + i];
  }
  for (std::size_t i = d; i-- > 0;) {
    for (std::size_t j = i + 1; j < d; ++j) values[i] -= factor_[j * d + i] * values[j];
    values[i] /= factor_[i * d + i];
  }
}

void LeastSquares::solve_singular(std::span<const double> triangle, std::span<const double> moments,
                                  std::span<double> out) const {
  const std::size_t d = dimension_;
  const SymmetricEigen eigen = symmetric_eigen(triangle.first(d * (d + 1) / 2), d);
  const double enough = negligible * std::max(eigen.values[d - 1], 0.0);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    if (!(eigen.values[i] > enough)) continue;
    const double* vector = eigen.vectors.data() + i * d;
    const double part = std::inner_product(vector, vector + d, moments.data(), 0.0) / eigen.values[i];
    for (std::size_t j = 0; j < d; ++j) out[j] += part * vector[j];
  }
}

LocalUcb::LocalUcb(const RobinSettings& settings)
    : dimension_(settings.dimension),
      arms_(settings.arms),
      alpha_(settings.alpha),
      ridge_(settings.ridge),
      reward_bound_(settings.reward_bound),
      solver_(settings.dimension),
      inverse_(settings.dimension * settings.dimension),
      theta_(settings.dimension),
      context_(settings.dimension),
      gain_(settings.dimension),
      best_context_(settings.dimension),
      best_gain_(settings.dimension) {}

void LocalUcb::resume(std::span<double> triangle, std::span<double> moments) {
  triangle_ = triangle;
  moments_ = moments;
  solver_.invert(triangle, ridge_, inverse_);
  for (std::size_t i = 0; i < dimension_; ++i) {
    theta_[i] = inner_product(inverse_.data() + i * dimension_, moments.data(), dimension_);
  }
}

void LocalUcb::play(const StepGroup& group, std::size_t lane, StepSums& sums) {
  const std::size_t arm = select(group, lane);
  const auto mean = [&](std::size_t k) { return group.means[k * step_lanes + lane]; };
  double largest = mean(0);
  for (std::size_t k = 1; k < arms_; ++k) largest = std::max(largest, mean(k));
  const std::size_t noise_row = group.noise_rows > 1 ? arm : 0;
  const double earned = mean(arm) + group.noise[noise_row * step_lanes + lane];
  const double reward = std::clamp(earned, -reward_bound_, reward_bound_);
  sums.regret += largest - mean(arm);
  sums.reward += reward;
  if (reward != earned) ++sums.rewards_clipped;
  learn(reward);
}

std::size_t LocalUcb::select(const StepGroup& group, std::size_t lane) {
  const std::size_t d = dimension_;
  std::size_t best_arm = 0;
  double best_score = -INFINITY;
  const double* from = group.contexts + lane;
  for (std::size_t arm = 0; arm < arms_; ++arm) {
    double score = 0;
    for (std::size_t j = 0; j < d; ++j, from += step_lanes) {
      context_[j] = *from;
      score += *from * theta_[j];
    }
    const double width = squared_width(inverse_.data(), context_.data(), d, gain_.data());
    // Rounding may make a width 0 or negative.
    score += alpha_ * std::sqrt(std::max(width, 0.0));
    if (!(score > best_score)) continue;
    best_score = score;
    best_arm = arm;
    best_width_ = width;
    std::swap(context_, best_context_);
    std::swap(gain_, best_gain_);
  }
  return best_arm;
}

void LocalUcb::learn(double reward) {
  const std::size_t d = dimension_;
  const double shrink = learn_sample(inverse_.data(), best_gain_.data(), best_width_, d);
  double error = reward;
  for (std::size_t j = 0; j < d; ++j) error -= best_context_[j] * theta_[j];
  double* entry = triangle_.data();
  for (std::size_t i = 0; i < d; ++i) {
    theta_[i] += best_gain_[i] * shrink * error;
    moments_[i] += reward * best_context_[i];
    for (std::size_t j = 0; j <= i; ++j) *entry++ += best_context_[i] * best_context_[j];
  }
}

}  // namespace sotto::apps::robin
