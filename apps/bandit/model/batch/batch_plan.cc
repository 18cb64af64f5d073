#include "apps/bandit/model/batch/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit {
namespace {

constexpr unsigned most_table_bits = 14;
constexpr double table_offset = 1.0 / 32;  // added to t (learn.h), so that t stays positive
constexpr double trace_slack = 1.0625;     // at least 1 + d; t is at most B R^2 (1 + d) (learn.h)

unsigned table_bits_of(double batch, double norm) {
  // An index into the table may be too large by up to 3 (protocols/preprocessing/recorded/tape.h).
  const double cells = (batch * norm * norm * trace_slack + table_offset) * (1 << BatchPlan::cell_bits) + 4;
  return static_cast<unsigned>(std::ceil(std::log2(cells)));
}

void require_batch(const BanditParameters& p, std::size_t batch) {
  if (batch >= 1 && batch <= largest_event_batch(p.max_norm)) return;
  throw InputError(
      fmt::format("--batch {}: with --max-norm {:g} a batch has 1 to {} events; use a smaller batch, or "
                  "scale the features to a smaller norm",
                  batch, p.max_norm, largest_event_batch(p.max_norm)));
}

}  // namespace

std::size_t largest_event_batch(double max_norm) {
  BanditParameters parameters;
  parameters.max_norm = max_norm;
  const double norm = bounds_of(parameters).norm;
  std::size_t batch = 1;
  while (table_bits_of(static_cast<double>(batch + 1), norm) <= most_table_bits) ++batch;
  return batch;
}

BatchPlan plan_batches(BanditParameters parameters, std::size_t batch, bool may_skip) {
  require_sane(parameters);
  require_batch(parameters, batch);
  const RunBounds bounds = bounds_of(parameters);
  const double T = bounds.steps;
  const double R = bounds.norm;
  const double BR2 = static_cast<double>(batch) * R * R;
  const double log_n = std::log2(bounds.n());
  const double log_w = std::log2(std::sqrt(T) / 2 + 1);

  // If `needed` times 2^-FW is at most 1, W stays positive definite (batch_plan.h).
  const double needed = 2 * bounds.features * bounds.n() * (1 + .6 * BR2);
  const auto [Fx, FA, FW, FP, d] = inverse_widths(bounds, parameters.fraction_bits, needed);
  const int Fw = std::min(widest, whole_bits(60 - log_n - FA));
  const int Fr = std::min({most_reward_bits, FA + Fw - Fx, whole_bits(62 - Fx - std::log2(R * T))});
  const int Fe = std::min(widest, whole_bits(61 - FW - log_w));
  const int FS = std::min({widest, 2 * Fx - 1, whole_bits(61 - FW - std::log2(BR2 + 2))});
  const bool fits =
      FA >= 1 && Fw >= 12 && Fe >= 1 && FS >= 1 && Fr >= 0 && Fw + Fx + log_w + 1 <= 62 && std::ldexp(needed, -FW) <= 1;
  if (!fits || d > tolerated_rounding) {
    throw InputError(
        fmt::format("--steps {} with {} features, --max-norm {:g} and --batch {}: rounding would spoil the inverse "
                    "matrices; use a smaller batch, fewer events, fewer features or a smaller norm",
                    parameters.steps, parameters.features(), parameters.max_norm, batch));
  }

  BatchPlan plan{};
  plan.batch = batch;
  plan.may_skip = may_skip;
  plan.context_bits = static_cast<unsigned>(Fx);
  plan.inverse_bits = static_cast<unsigned>(FW);
  plan.gram_bits = static_cast<unsigned>(FA);
  plan.residual_bits = static_cast<unsigned>(FP);
  plan.weight_bits = static_cast<unsigned>(Fw);
  plan.reward_bits = parameters.binary_rewards ? 0 : static_cast<unsigned>(Fr);
  plan.correction_bits = static_cast<unsigned>(Fe);
  plan.target_bits = std::min(plan.correction_bits, plan.context_bits + plan.reward_bits);
  plan.sum_bits = static_cast<unsigned>(FS);
  plan.comparison_bits = comparison_bits(bounds, 1.1);
  plan.table_bits = table_bits_of(static_cast<double>(batch), R);
  plan.rounding = d;
  plan.parameters = std::move(parameters);
  if (plan.parameters.before == ModelBits{}) plan.parameters.before = plan.model_bits();
  return plan;
}

std::uint64_t most_begun_between_checkpoints(std::uint64_t every, std::size_t batch, std::uint64_t lag) {
  constexpr std::uint64_t beyond_any_run = std::uint64_t{1} << 60;  // so that no sum wraps
  const std::uint64_t ahead = batch > 1 || lag > 0 ? 2 * (batch - 1) + std::min(lag, beyond_any_run) : 0;
  return std::min(every, beyond_any_run) + ahead;
}

}  // namespace sotto::apps::bandit
