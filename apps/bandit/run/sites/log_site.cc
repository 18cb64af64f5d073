#include "apps/bandit/run/sites/log_site.h"

#include <cmath>
#include <utility>

#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::bandit::run {

LogSite::LogSite(EventLog log, LogTurns turns, const Seed& rounding, std::function<void(const RewardCurve&)> on_step)
    : log_(std::move(log)),
      turns_(std::move(turns)),
      rounding_(rounding),
      on_step_(std::move(on_step)),
      curve_(turns_.rows.size()) {}

std::uint64_t LogSite::rounded(double value, unsigned bits) {
  return encode_unbiased(value, bits, std::ldexp(static_cast<double>(rounding_.next() >> 11), -53));
}

std::size_t LogSite::logged_arm(std::uint64_t step) { return log_.arm(turns_.rows[step]); }

std::uint64_t LogSite::reward(std::uint64_t step) { return rounded(reward_of(step), turns_.reward_bits); }

void LogSite::logged_weight(std::uint64_t step, std::span<std::uint64_t> weights, std::span<std::uint64_t> gains) {
  const std::size_t arm = logged_arm(step);
  const double weight = turns_.weights.weights[step];
  weights[arm] = rounded(weight, turns_.weight_bits);
  gains[arm] = rounded(weight * reward_of(step), turns_.weight_bits);
}

void LogSite::step_done(std::uint64_t step) {
  // A run that goes on has not seen the events before.
  while (curve_.steps() <= step) curve_.add(reward_of(curve_.steps()));
  if (on_step_) on_step_(curve_);
}

}  // namespace sotto::apps::bandit::run
