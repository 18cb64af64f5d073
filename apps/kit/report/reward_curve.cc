#include "apps/kit/report/reward_curve.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace sotto::apps {

RewardCurve::RewardCurve(std::uint64_t total_steps, std::size_t max_points)
    : total_steps_(total_steps), max_points_(max_points) {
  if (total_steps == 0 || max_points == 0) {
    throw std::invalid_argument("RewardCurve: needs at least one step and one point");
  }
  points_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(total_steps, max_points)));
  next_ = next_recorded_step();
}

RewardCurve::RewardCurve(std::uint64_t total_steps, State state, std::size_t max_points)
    : RewardCurve(total_steps, max_points) {
  const auto refuse = [] { throw std::invalid_argument("RewardCurve: a state that no curve of this run can have"); };
  if (state.steps > total_steps || !std::isfinite(state.sum) || !std::isfinite(state.lost)) {
    refuse();
  }
  for (const CurvePoint& point : state.points) {
    if (point.step != next_ || point.step > state.steps || point.sd) refuse();
    steps_ = next_;
    ++index_;
    next_ = next_recorded_step();
  }
  if (state.steps >= next_ && steps_ < total_steps) refuse();
  steps_ = state.steps;
  sum_ = state.sum;
  lost_ = state.lost;
  points_ = std::move(state.points);
}

// The step of point i of n (1-based) is total (i/n)^3, but at least one step after the previous point.
std::uint64_t RewardCurve::next_recorded_step() const {
  const std::uint64_t following = steps_ + 1;
  if (total_steps_ <= max_points_) return following;
  if (index_ + 1 >= max_points_) return total_steps_;
  const double fraction = static_cast<double>(index_ + 1) / static_cast<double>(max_points_);
  const double step = std::ceil(static_cast<double>(total_steps_) * fraction * fraction * fraction);
  return std::clamp(static_cast<std::uint64_t>(step), following, total_steps_);
}

void RewardCurve::add(double reward) {
  if (steps_ == total_steps_) throw std::invalid_argument("RewardCurve: more steps than declared");
  const double corrected = reward - lost_;
  const double sum = sum_ + corrected;
  lost_ = (sum - sum_) - corrected;
  sum_ = sum;
  ++steps_;
  if (steps_ != next_) return;
  points_.push_back({steps_, average(), std::nullopt});
  ++index_;
  next_ = next_recorded_step();
}

double RewardCurve::average() const noexcept { return steps_ == 0 ? 0 : sum_ / static_cast<double>(steps_); }

Curve RewardCurve::points() const {
  Curve points = points_;
  if (steps_ > 0 && (points.empty() || points.back().step != steps_)) {
    points.push_back({steps_, average(), std::nullopt});
  }
  return points;
}

Curve average_curves(std::span<const Curve> curves) {
  if (curves.empty()) return {};
  const auto count = static_cast<double>(curves.size());
  Curve result = curves.front();
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0;
    for (const Curve& curve : curves) {
      if (curve.size() != result.size() || curve[i].step != result[i].step) {
        throw std::invalid_argument("average_curves: the curves have different steps");
      }
      sum += curve[i].average_reward;
    }
    const double mean = sum / count;
    double squares = 0;
    for (const Curve& curve : curves) squares += std::pow(curve[i].average_reward - mean, 2);
    result[i].average_reward = mean;
    result[i].sd = curves.size() > 1 ? std::optional(std::sqrt(squares / (count - 1))) : std::nullopt;
  }
  return result;
}

}  // namespace sotto::apps
