#include "sotto/apps/robin/local_ucb.h"

#include <algorithm>
#include <cmath>

#include "sotto/apps/kit/learn/small_ridge.h"

namespace sotto::apps {

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
    // Rounding may make nothing of a width, and less.
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

}  // namespace sotto::apps
