#include "apps/bandit/model/step/step_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit {
namespace {

constexpr int least_product_bits = 20;
constexpr int most_product_bits = 29;
constexpr double tolerated_drift = .1;
constexpr double tolerated_drift_of_products = .05;
constexpr double most_refresh_every = 256;
constexpr double least_refresh_every = 16;
constexpr double pull_precision = 1.0 / (1 << 8);

struct Drift {
  double of_inverse;   // the part of the drift from rounding W
  double of_products;  // the part of the drift from rounding u and v
  [[nodiscard]] double sum() const { return of_inverse + of_products; }
};

Drift drift_of(const RunBounds& bounds, StepUpdate update, double every, int inverse_bits, int product_bits) {
  const double r2 = bounds.norm * bounds.norm;
  const double log_det = bounds.features * std::log1p(every * r2 / bounds.features);
  const double t = std::min(every * r2, log_det * r2 / std::log1p(r2));
  const bool exact = update == StepUpdate::pulled_arm;  // whether the steps leave W unrounded
  const double of_cut = exact ? std::sqrt(bounds.features) * std::ldexp(bounds.norm, -inverse_bits) : 0;
  const double unit = std::ldexp(1.0, -product_bits) + of_cut;
  const double n = bounds.n();
  return Drift{exact ? 0 : every * bounds.features * std::ldexp(n, -inverse_bits),
               std::sqrt(n * bounds.features) * (4.1 * std::sqrt(every * t) + 2.1 * t) * unit +
                   3.1 * every * bounds.features * n * unit * unit};
}

unsigned arm_rounds(const BanditParameters& p) { return p.arms <= protocols::max_pairwise ? 4 : 9; }

[[noreturn]] void refuse_run(const BanditParameters& p) {
  throw InputError(
      fmt::format("--steps {} with {} features and --max-norm {:g}: rounding would spoil the inverse matrices; use "
                  "fewer steps, fewer "
                  "features or a smaller norm",
                  p.steps, p.features(), p.max_norm));
}

}  // namespace

unsigned StepPlan::rounds(const BanditParameters& parameters) const {
  if (update == StepUpdate::pulled_arm) return rounds_to_arm(parameters) + 5 + division.rounds();
  const unsigned to_gain = rounds_to_arm(parameters) - arm_rounds(parameters) + 2 + division.rounds();
  return 2 + std::max(to_gain, rounds_to_arm(parameters));
}

unsigned StepPlan::rounds_to_arm(const BanditParameters& parameters) {
  return (parameters.contexts_ahead ? 0 : 1) + arm_rounds(parameters);
}

double StepPlan::largest_error() const {
  const double q = division.top;
  const double error = division.residual() + std::ldexp(4.0, -static_cast<int>(divisor_bits));
  const double weight = error * q / (1 - error * (q - 1));
  return (1 + weight) * (1 + rounding) * std::exp(drift) - 1;
}

StepPlan plan_step(const BanditParameters& parameters) {
  require_sane(parameters);
  const RunBounds bounds = bounds_of(parameters);
  const double log_n = std::log2(bounds.n());
  const double log_w = std::log2(.75 * std::sqrt(bounds.steps) + 1);

  const int most_context = inverse_widths(bounds, parameters.fraction_bits, 0).context;
  const int norm_bits = static_cast<int>(std::ceil(std::log2(std::max(1.0, parameters.max_norm))));
  const int FV = std::min(most_inverse_bits, 60 - most_context - norm_bits);
  const auto [Fx, FA, FW, FP, d] = inverse_widths(bounds, parameters.fraction_bits, 0, FV);
  double every = most_refresh_every;
  int Fu = least_product_bits;
  const auto drift = [&] { return drift_of(bounds, parameters.update, every, FV, Fu); };
  while (Fu < most_product_bits && drift().of_products > tolerated_drift_of_products) ++Fu;
  while (every > least_refresh_every && drift().sum() > tolerated_drift) every /= 2;
  const int Fd = std::max({12, Fu + Fx - 32, FV + 2 * Fx - 64});
  const int Fs = std::min(widest, whole_bits(61 - Fu - log_w));
  const int FG = std::min(2 * Fx - 1, whole_bits(60 - widest - log_n));
  const int Fw = std::min(widest, whole_bits(60 - log_n - FG));
  const int Fr =
      std::min({most_reward_bits, Fs, FG + Fw - Fx, whole_bits(62 - Fx - std::log2(bounds.norm * bounds.steps))});
  const int Fe = std::min(widest, whole_bits(61 - FW - log_w));
  const bool fits = FA >= 1 && FG >= 1 && Fs >= 1 && Fe >= 1 && Fr >= 0 && Fw >= 12 && Fw + Fx + log_w <= 62 &&
                    Fw + Fx > Fs && FV + Fx > Fu;
  if (!fits || d > tolerated_rounding || drift().sum() > tolerated_drift) refuse_run(parameters);

  // The norm is at least 1, so that every run with R <= 1 has the same number of rounds.
  const double norm = std::max(1.0, parameters.max_norm);
  const double top = 1 + norm * norm;
  StepPlan plan{};
  plan.context_bits = static_cast<unsigned>(Fx);
  plan.update = parameters.update;
  plan.inverse_bits = static_cast<unsigned>(FV);
  plan.kept_inverse_bits =
      parameters.update == StepUpdate::all_arms ? plan.inverse_bits : 2 * static_cast<unsigned>(Fu) + 1;
  plan.product_bits = static_cast<unsigned>(Fu);
  plan.divisor_bits = static_cast<unsigned>(Fd);
  plan.score_bits = static_cast<unsigned>(Fs);
  plan.weight_bits = static_cast<unsigned>(Fw);
  plan.reward_bits = parameters.binary_rewards ? 0 : static_cast<unsigned>(Fr);
  plan.comparison_bits = comparison_bits(bounds, 1.5);
  plan.refreshed_bits = static_cast<unsigned>(FW);
  plan.gram_bits = static_cast<unsigned>(FA);
  plan.residual_bits = static_cast<unsigned>(FP);
  plan.weight_gram_bits = static_cast<unsigned>(FG);
  plan.correction_bits = static_cast<unsigned>(Fe);
  plan.division =
      protocols::plan_reciprocal(top, pull_precision / top, plan.divisor_bits, plan.product_bits - plan.divisor_bits);
  plan.refresh_every = static_cast<std::uint64_t>(every);
  plan.drift = drift().sum();
  plan.rounding = d;
  return plan;
}

}  // namespace sotto::apps::bandit
