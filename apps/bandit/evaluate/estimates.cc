#include "sotto/apps/bandit/evaluate/estimates.h"

#include <fmt/format.h>

#include <cmath>

namespace sotto::apps {
namespace {

constexpr double normal_quantile = 1.959963984540054;  // of .975

Estimate around(double value, double variance, double scale) {
  const double half = normal_quantile * std::sqrt(std::max(variance, 0.0));
  return {scale * value, scale * (value - half), scale * (value + half)};
}

// Of the mean of terms, from their sum and that of their squares.
Estimate mean_of(double sum, double squares, double events, double scale) {
  const double mean = sum / events;
  return around(mean, (squares / events - mean * mean) / (events - 1), scale);
}

// Sums of y and w over events, of one policy.
struct WeightSums {
  double y = 0, w = 0;
  double yy = 0, yw = 0, ww = 0;

  void add(double weight, double gain) {
    y += gain;
    w += weight;
    yy += gain * gain;
    yw += gain * weight;
    ww += weight * weight;
  }
};

PolicyValue value_of(std::string policy, const WeightSums& sums, double events, double scale) {
  PolicyValue value;
  value.policy = std::move(policy);
  value.ips = mean_of(sums.y, sums.yy, events, scale);
  // Rounded weights of no event add up to nothing.
  if (sums.w > .5 && sums.ww > 0) {
    const double ratio = sums.y / sums.w;
    const double variance = (sums.yy - 2 * ratio * sums.yw + ratio * ratio * sums.ww) / (sums.w * sums.w);
    value.snips = around(ratio, variance, scale);
    value.effective_events = sums.w * sums.w / sums.ww;
  }
  return value;
}

PolicyValue value_of_log(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first) {
  double sum = 0;
  double squares = 0;
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    const double reward = log.reward(rows[event]);
    sum += reward;
    squares += reward * reward;
  }
  const auto events = static_cast<double>(rows.size() - first);
  PolicyValue value;
  value.policy = "log";
  value.ips = mean_of(sum, squares, events, log.reward_scale());
  value.effective_events = events;
  return value;
}

}  // namespace

std::vector<PolicyValue> policy_values(const OpenedSums& sums, const EventLog& log,
                                       const std::vector<std::uint64_t>& rows, const std::vector<double>& weights,
                                       std::uint64_t first) {
  const double scale = log.reward_scale();
  const auto events = static_cast<double>(sums.events);
  std::vector<WeightSums> arms(sums.arms.size());
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    arms[log.arm(row)].add(weights[event], weights[event] * log.reward(row));
  }
  std::vector<PolicyValue> values;
  values.reserve(arms.size() + 2);
  values.push_back(value_of("model", {sums.y, sums.w, sums.yy, sums.yw, sums.ww}, events, scale));
  values.back().robust = mean_of(sums.d, sums.dd, events, scale);
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    values.push_back(value_of(fmt::format("arm {}", arm), arms[arm], events, scale));
    values.back().robust = mean_of(sums.arms[arm], sums.arm_squares[arm], events, scale);
  }
  values.push_back(value_of_log(log, rows, first));
  return values;
}

}  // namespace sotto::apps
