#include "apps/kit/learn/linear_bandit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "apps/kit/learn/seeded.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

// A remaining variance of at most this fraction of the arm's variance is a rounding error.
constexpr double rounding = 1e-11;
// An arm may be the next pivot if its remaining variance is at least this fraction of the largest. The fraction is
// irrational, so a simple ratio of two variances, such as 3/4, never equals the fraction.
constexpr double near_largest = 0.8284271247461901;  // sqrt(8) - 2

std::size_t next_pivot(const double* variance, std::size_t arms) {
  const double enough = near_largest * *std::max_element(variance, variance + arms);
  return static_cast<std::size_t>(std::find_if(variance, variance + arms, [&](double left) { return left >= enough; }) -
                                  variance);
}

// A matrix of larger dimensions would take more than 32 GB.
constexpr std::size_t most_dimensions = std::size_t{1} << 16;
constexpr std::size_t most_arms = std::size_t{1} << 16;

void require(bool holds, const char* name, const std::string& expected) {
  if (!holds) throw InputError(std::string("the linear bandit's ") + name, expected);
}

const LinearBanditOptions& checked(const LinearBanditOptions& options) {
  require(options.dimension >= 1 && options.dimension <= most_dimensions, "dimension",
          fmt::format("{} is not from 1 to {}", options.dimension, most_dimensions));
  require(options.arms >= 1 && options.arms <= most_arms, "arms",
          fmt::format("{} is not from 1 to {}", options.arms, most_arms));
  require(std::isfinite(options.beta) && options.beta >= 0, "beta",
          fmt::format("{} is not a finite number from 0 on", options.beta));
  require(std::isfinite(options.v) && options.v >= 0, "v",
          fmt::format("{} is not a finite number from 0 on", options.v));
  // With a denormal lambda the inverse of A would overflow.
  require(std::isnormal(options.lambda) && options.lambda > 0, "lambda",
          fmt::format("{} is not a finite number above 0", options.lambda));
  require(options.refresh_every >= 1, "refresh_every", "0 is not at least 1");
  require(std::isfinite(options.tie_tolerance) && options.tie_tolerance >= 0, "tie_tolerance",
          fmt::format("{} is not a finite number from 0 on", options.tie_tolerance));
  return options;
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
      column[k] = variance[k] > 0 ? column[k] / deviation : 0;
      scores[k] += noise * column[k];
      variance[k] -= column[k] * column[k];
      if (variance[k] <= least_[k]) variance[k] = 0;
    }
    variance[pivot] = 0;
  }
}

LinearBandit::Noise::Noise(std::size_t arms)
    : covariance(padded(arms) * padded(arms)), normals(arms + 1), scores(arms) {}

LinearBandit::LinearBandit(const LinearBanditOptions& options)
    : options_(checked(options)),
      kernels_(factor_kernels()),
      ridge_(options.dimension, options.lambda, options.refresh_every, kernels_),
      stride_(ridge_.stride()),
      contexts_(padded(options.arms) * stride_),
      projections_(padded(options.arms) * stride_),
      context_(stride_),
      projection_(stride_),
      scores_(options.arms) {
  if (options.algorithm == LinearAlgorithm::ts) noise_.emplace(options.arms);
}

std::size_t LinearBandit::select(std::uint64_t step, std::span<const double> contexts) {
  if (contexts.size() != options_.arms * options_.dimension) {
    throw std::invalid_argument(fmt::format("{} numbers are no contexts of {} arms in {} dimensions", contexts.size(),
                                            options_.arms, options_.dimension));
  }
  copy_contexts(step, contexts);
  ridge_.project(projections_.data(), contexts_.data(), options_.arms);
  for (std::size_t arm = 0; arm < options_.arms; ++arm) {
    scores_[arm] = kernels_.dot(row(contexts_, arm), ridge_.theta(), stride_);
  }
  StepStream stream(options_.stream_seed, step);
  if (noise_) {
    add_noise(stream);
  } else {
    add_widths();
  }
  const auto finite = [](double score) { return std::isfinite(score); };
  if (!std::all_of(scores_.data(), scores_.data() + scores_.size(), finite)) {
    throw InputError(fmt::format("contexts of step {}", step),
                     "their scores are too large for a double; scale the features");
  }
  const std::size_t arm = best(stream);
  selected_ = arm;
  return arm;
}

void LinearBandit::copy_contexts(std::uint64_t step, std::span<const double> contexts) {
  selected_.reset();
  const std::size_t d = options_.dimension;
  bool finite = true;
  for (std::size_t arm = 0; arm < options_.arms; ++arm) {
    finite &= kernels_.copy_finite(row(contexts_, arm), contexts.data() + arm * d, d);
  }
  if (!finite) {
    throw InputError(fmt::format("contexts of step {}", step),
                     "a value is NaN or infinite; every feature of every arm must be a number");
  }
}

void LinearBandit::add_widths() {
  for (std::size_t arm = 0; arm < options_.arms; ++arm) {
    const double* z = row(projections_, arm);
    scores_[arm] += options_.beta * std::sqrt(kernels_.dot(z, z, stride_));
  }
}

void LinearBandit::add_noise(StepStream& stream) {
  const std::size_t rows = padded(options_.arms);
  double* covariance = noise_->covariance.data();
  std::fill_n(covariance, rows * rows, 0.0);
  kernels_.gram_add(covariance, rows, projections_.data(), rows, stride_);
  for (std::size_t arm = 0; arm < options_.arms; arm += 2) {
    const NormalPair pair = normal_pair(stream);
    noise_->normals[arm] = pair.first;
    noise_->normals[arm + 1] = pair.second;
  }
  noise_->scores.add({scores_.data(), scores_.size()}, covariance, rows, options_.v,
                     {noise_->normals.data(), options_.arms}, options_.dimension);
}

std::size_t LinearBandit::best(StepStream& stream) const {
  const double* scores = scores_.data();
  const std::size_t arms = scores_.size();
  const double enough = *std::max_element(scores, scores + arms) - options_.tie_tolerance;
  const auto tied = [&](double score) { return score >= enough; };
  const auto count = static_cast<std::uint64_t>(std::count_if(scores, scores + arms, tied));
  std::uint64_t skip = count == 1 ? 0 : stream.below(count);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    if (tied(scores[arm]) && skip-- == 0) return arm;
  }
  throw std::logic_error("no arm has the best score");
}

void LinearBandit::update(std::span<const double> context, double reward) {
  if (context.size() != options_.dimension) {
    throw std::invalid_argument(
        fmt::format("{} numbers are no context in {} dimensions", context.size(), options_.dimension));
  }
  if (!std::isfinite(reward)) throw InputError("reward", "it is NaN or infinite");
  const double* x = selected_ ? row(contexts_, *selected_) : nullptr;
  const double* z = selected_ ? row(projections_, *selected_) : nullptr;
  if (x == nullptr || std::memcmp(x, context.data(), context.size_bytes()) != 0) {
    if (!kernels_.copy_finite(context_.data(), context.data(), context.size())) {
      throw InputError("context", "a value is NaN or infinite");
    }
    ridge_.project(projection_.data(), context_.data(), 1);
    x = context_.data();
    z = projection_.data();
  }
  const double spread = kernels_.dot(z, z, stride_);
  const double next = std::abs(reward) * kernels_.dot(x, x, stride_);
  if (!std::isfinite(spread) || !std::isfinite(next)) {
    throw InputError("context", "it is too large for a double; scale the features");
  }
  ridge_.learn(x, z, reward);
  selected_.reset();
}

}  // namespace sotto::apps
