#include "apps/bandit/run/log/estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace sotto::apps::bandit::run {
namespace {

constexpr double normal_quantile = 1.959963984540054;  // of .975
constexpr double errors_that_refute = 4;
constexpr double errors_that_lack = .5;
constexpr double further_events = 2;  // of the largest size: what a log may not have shown yet

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

// What is alike for all policies. Rewards are divided by the scale.
struct Evaluated {
  double events = 0;
  double scale = 1;
  double largest_weight = 0;
  double low = 0, high = 0;  // rewards
  bool full_support = false;

  [[nodiscard]] double range() const { return high - low; }
};

Evaluated evaluated_part(const EventLog& log, const std::vector<std::uint64_t>& rows, const LogWeights& weights,
                         std::uint64_t first) {
  Evaluated all;
  all.events = static_cast<double>(rows.size() - first);
  all.scale = log.reward_scale();
  all.full_support = weights.full_support;
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    all.largest_weight = std::max(all.largest_weight, weights.weights[event]);
  }
  all.low = all.high = log.reward(rows.front());
  for (const std::uint64_t row : rows) {
    all.low = std::min(all.low, log.reward(row));
    all.high = std::max(all.high, log.reward(row));
  }
  // Rewards that are all the same say nothing of others.
  if (log.binary_rewards() || all.low == all.high) {
    all.low = std::min(all.low, 0.);
    all.high = std::max(all.high, log.binary_rewards() ? 1. : 0.);
  }
  return all;
}

// The standard error of a mean of terms up to `largest` in size, from their sum and that of their squares.
double error_of_mean(double sum, double squares, double largest, double events) {
  const double mean = sum / events;
  const double spread = std::max(0., squares / events - mean * mean) / (events - 1);
  return std::sqrt(spread + further_events * largest * largest / (events * events));
}

// Nothing where no reward of the log is in the interval.
std::optional<Estimate> around(double value, double error, const Evaluated& all) {
  const double half = normal_quantile * error;
  if (value - half >= all.high || value + half <= all.low) return std::nullopt;
  const auto cut = [&](double x) { return all.scale * std::clamp(x, all.low, all.high); };
  return Estimate{cut(value), cut(value - half), cut(value + half)};
}

std::optional<Estimate> mean_of(double sum, double squares, double largest, const Evaluated& all) {
  return around(sum / all.events, error_of_mean(sum, squares, largest, all.events), all);
}

MeanWeight mean_weight_of(const WeightSums& sums, const Evaluated& all) {
  return {sums.w / all.events, error_of_mean(sums.w, sums.ww, all.largest_weight, all.events)};
}

Support support_of(const WeightSums& sums, const MeanWeight& mean, const Evaluated& all) {
  // Rounded weights of no event add up to nothing.
  if (sums.w < .5) return Support::lacking;
  if (mean.value - 1 > errors_that_refute * mean.error) return Support::wrong_propensities;
  const double lacks = all.full_support ? errors_that_refute : errors_that_lack;
  if (1 - mean.value > lacks * mean.error) return Support::lacking;
  return all.full_support ? Support::shown : Support::not_refuted;
}

// Of the mean of w (r - low), and of that of w (high - r), each with the least that it may be.
Bounds reward_bounds(const WeightSums& s, const Evaluated& all) {
  const double largest = all.largest_weight * all.range();
  const auto least = [&](double sum, double squares) {
    return sum / all.events - normal_quantile * error_of_mean(sum, squares, largest, all.events);
  };
  const double low = least(s.y - all.low * s.w, s.yy - 2 * all.low * s.yw + all.low * all.low * s.ww);
  const double high = least(all.high * s.w - s.y, all.high * all.high * s.ww - 2 * all.high * s.yw + s.yy);
  return {all.scale * (all.low + std::clamp(low, 0., all.range())),
          all.scale * (all.high - std::clamp(high, 0., all.range()))};
}

// `robust`: the sum of d, and that of its squares.
PolicyValue value_of(std::string policy, const WeightSums& sums, std::pair<double, double> robust,
                     const Evaluated& all) {
  PolicyValue value;
  value.policy = std::move(policy);
  const MeanWeight mean = mean_weight_of(sums, all);
  value.mean_weight = mean;
  value.support = support_of(sums, mean, all);
  value.bounds = reward_bounds(sums, all);
  if (sums.w >= .5 && sums.ww > 0) value.effective_events = sums.w * sums.w / sums.ww;
  if (!value.has_value()) return value;
  const double largest_reward = std::max(std::abs(all.low), std::abs(all.high));
  value.ips = mean_of(sums.y, sums.yy, all.largest_weight * largest_reward, all);
  const double ratio = sums.y / sums.w;
  const double squares = std::max(0., sums.yy - 2 * ratio * sums.yw + ratio * ratio * sums.ww);
  const double further = all.largest_weight * all.range();
  value.snips = around(ratio, std::sqrt(squares + further_events * further * further) / sums.w, all);
  value.robust = mean_of(robust.first, robust.second, further, all);
  return value;
}

// Where one policy shows that propensities are wrong, they are wrong for all.
void withdraw_if_wrong(std::vector<PolicyValue>& values) {
  const auto is_wrong = [](const PolicyValue& value) { return value.support == Support::wrong_propensities; };
  if (std::none_of(values.begin(), values.end(), is_wrong)) return;
  for (PolicyValue& value : values) {
    if (value.support == Support::not_played) continue;
    value.support = Support::wrong_propensities;
    value.ips = value.snips = value.robust = std::nullopt;
    value.bounds = std::nullopt;
  }
}

PolicyValue value_of_log(const EventLog& log, const std::vector<std::uint64_t>& rows, std::uint64_t first,
                         const Evaluated& all) {
  double sum = 0;
  double squares = 0;
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    const double reward = log.reward(rows[event]);
    sum += reward;
    squares += reward * reward;
  }
  PolicyValue value;
  value.policy = "log";
  value.ips = mean_of(sum, squares, all.range(), all);
  value.effective_events = all.events;
  return value;
}

}  // namespace

std::vector<PolicyValue> policy_values(const OpenedSums& sums, const EventLog& log,
                                       const std::vector<std::uint64_t>& rows, const LogWeights& weights,
                                       std::uint64_t first) {
  const Evaluated all = evaluated_part(log, rows, weights, first);
  std::vector<WeightSums> arms(sums.arms.size());
  std::vector<bool> is_played(sums.arms.size(), false);
  for (std::uint64_t event = first; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    is_played[log.arm(row)] = true;
    arms[log.arm(row)].add(weights.weights[event], weights.weights[event] * log.reward(row));
  }
  std::vector<PolicyValue> values;
  values.reserve(arms.size() + 2);
  values.push_back(value_of("model", {sums.y, sums.w, sums.yy, sums.yw, sums.ww}, {sums.d, sums.dd}, all));
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    std::string name = fmt::format("arm {}", arm);
    if (is_played[arm]) {
      values.push_back(value_of(std::move(name), arms[arm], {sums.arms[arm], sums.arm_squares[arm]}, all));
    } else {
      values.emplace_back().policy = std::move(name);
      values.back().support = Support::not_played;
    }
  }
  withdraw_if_wrong(values);
  values.push_back(value_of_log(log, rows, first, all));
  return values;
}

OpenedSums plaintext_evaluation(PlaintextBandit& bandit, const ContextGetter& contexts, const EventLog& log,
                                const std::vector<std::uint64_t>& rows, const std::vector<double>& weights,
                                std::uint64_t learned) {
  for (std::uint64_t event = 0; event < learned; ++event) {
    const std::uint64_t row = rows[event];
    bandit.update(contexts(row), log.arm(row), log.reward(row));
  }
  OpenedSums sums;
  sums.events = rows.size() - learned;
  sums.arms.assign(bandit.arms(), 0);
  sums.arm_squares.assign(bandit.arms(), 0);
  for (std::uint64_t event = learned; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    const std::span<const double> scores = bandit.scores(contexts(row));
    const auto best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    for (std::size_t arm = 0; arm < scores.size(); ++arm) {
      const bool logged = log.arm(row) == arm;
      const double w = logged ? weights[event] : 0;
      const double y = w * log.reward(row);
      const double d = scores[arm] * (1 - w) + y;
      sums.arms[arm] += d;
      sums.arm_squares[arm] += d * d;
      if (arm != best) continue;
      sums.y += y;
      sums.w += w;
      sums.yy += y * y;
      sums.yw += y * w;
      sums.ww += w * w;
      sums.d += d;
      sums.dd += d * d;
    }
  }
  return sums;
}

}  // namespace sotto::apps::bandit::run
