#include "apps/bandit/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr unsigned extra_inverse_bits = 10;
constexpr unsigned range_bits = 62;  // mask_trunc takes |z| up to 2^62
constexpr unsigned most_reward_bits = 16;
constexpr double division_precision = 1.0 / (1 << 14);

// The least whole number of bits that holds `value`, at least 0.
unsigned bits_of(double value) {
  return static_cast<unsigned>(std::max(0.0, std::ceil(std::log2(value))));
}

void require_sane(const BanditParameters& p) {
  if (p.columns.size() < 2 || p.columns.size() > max_parties) {
    throw InputError(
        fmt::format("--party: a run has 2 to {} parties, not {}", max_parties, p.columns.size()));
  }
  if (std::find(p.columns.begin(), p.columns.end(), 0u) != p.columns.end()) {
    throw InputError("--party: every party brings at least one feature column");
  }
  if (p.arms < 1 || p.arms > 4096)
    throw InputError(fmt::format("--arms: 1 to 4096 arms, not {}", p.arms));
  if (p.steps < 1) throw InputError("--steps: at least one step");
  if (!(p.max_norm > 0 && p.max_norm <= 8)) {
    throw InputError(
        fmt::format("--max-norm: {} is outside (0, 8]; scale the features so that every row's norm "
                    "is at most 8",
                    p.max_norm));
  }
}

// |w_i| <= sqrt(T) / 2 for ridge regression on rewards in [-1, 1], whatever the contexts; W b is
// formed at 2F + 10 bits.
void require_room_for_weights(const BanditPlan& plan) {
  const unsigned f = plan.parameters.fraction_bits;
  const unsigned weight_bits = bits_of(std::sqrt(static_cast<double>(plan.parameters.steps)) / 2);
  const unsigned inverse_times_context = plan.inverse_bits + f + bits_of(plan.parameters.max_norm);
  if (plan.inverse_bits + f + weight_bits >= range_bits || inverse_times_context >= range_bits) {
    throw InputError(
        fmt::format("--bits {}: weights of a run of {} steps could leave the ring; use fewer bits "
                    "(20 is the default) or fewer "
                    "steps",
                    f, plan.parameters.steps));
  }
}

// The rounding of u is in v too, so each pull takes about 2^-2F / 4 off the inverse matrix beside
// what it should, while the matrix itself shrinks as 1 / (B^2 T). Up to T B = 2^(F+3) pulls of one
// arm in one direction it stays between zero and the true inverse (weights too small, but within
// their bound); from about 2^(F+5) on it turns negative and scores may leave the compared range.
void require_little_drift(const BanditParameters& p) {
  const double norm = std::max(1.0, p.max_norm);
  const double most = std::ldexp(1.0, static_cast<int>(p.fraction_bits) + 3) / norm;
  if (static_cast<double>(p.steps) > most) {
    throw InputError(
        fmt::format("--steps {}: with {} fraction bits rounding would spoil the inverse matrices; "
                    "run at most {:.0f} steps or use more --bits",
                    p.steps, p.fraction_bits, most));
  }
}

}  // namespace

std::size_t BanditParameters::features() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
}

BanditPlan plan_bandit(BanditParameters parameters) {
  require_sane(parameters);
  const unsigned f = parameters.fraction_bits;
  if (f < 12 || f > 24) throw InputError(fmt::format("--bits: 12 to 24 fraction bits, not {}", f));
  const double steps = static_cast<double>(parameters.steps);
  const double norm = std::max(1.0, parameters.max_norm);

  // |b_i| <= B T, and b is rewritten at F + fr bits.
  const unsigned sum_bits = bits_of(norm * steps);
  if (f + sum_bits >= range_bits) {
    throw InputError(fmt::format(
        "--steps {}: sums of rewards could leave the ring; run fewer steps", parameters.steps));
  }
  const unsigned room = range_bits - f - sum_bits;
  const unsigned reward_bits = parameters.binary_rewards ? 0 : std::min(most_reward_bits, room);

  // |s_i - s_j| <= B sqrt(T / 2): two ridge regressions that share T steps.
  const unsigned comparison_bits = f + 1 + bits_of(norm * std::sqrt(steps / 2) + 1);
  if (comparison_bits + 2 + f > 64) {
    throw InputError(fmt::format(
        "--steps {}: scores could leave the compared range; run fewer steps or use fewer --bits",
        parameters.steps));
  }

  // From q = 2 up, so that every run with B <= 1 takes the same seven rounds.
  const double top = 1 + norm * norm;
  BanditPlan plan{std::move(parameters), f + extra_inverse_bits, reward_bits, comparison_bits,
                  protocols::plan_reciprocal(top, division_precision, f)};
  require_room_for_weights(plan);
  require_little_drift(plan.parameters);
  return plan;
}

}  // namespace sotto::apps
