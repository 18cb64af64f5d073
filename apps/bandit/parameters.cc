#include "sotto/apps/bandit/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "sotto/apps/bandit/batch/batch_plan.h"
#include "sotto/apps/bandit/step/step_plan.h"
#include "sotto/apps/kit/report/human.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr unsigned least_fraction_bits = 12;
constexpr unsigned most_fraction_bits = 24;

}  // namespace

std::size_t BanditParameters::features() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0});
}

void require_sane(const BanditParameters& p) {
  if (p.columns.size() < 2 || p.columns.size() > max_parties) {
    throw InputError(fmt::format("--party: a run has 2 to {} parties, not {}", max_parties, p.columns.size()));
  }
  if (std::find(p.columns.begin(), p.columns.end(), 0u) != p.columns.end()) {
    throw InputError("--party: every party brings at least one feature column");
  }
  if (p.arms < 1 || p.arms > 4096) throw InputError(fmt::format("--arms: 1 to 4096 arms, not {}", p.arms));
  if (p.steps < 1) throw InputError("--steps: at least one step");
  if (p.fraction_bits < least_fraction_bits || p.fraction_bits > most_fraction_bits) {
    throw InputError(fmt::format("--bits: {} to {} fraction bits, not {}", least_fraction_bits, most_fraction_bits,
                                 p.fraction_bits));
  }
  if (!(p.max_norm > 0 && p.max_norm <= 8)) {
    throw InputError(
        fmt::format("--max-norm: {} is outside (0, 8]; scale the features so that every row's norm is at most 8",
                    advised(p.max_norm)));
  }
}

BanditPlan plan_bandit(BanditParameters parameters) {
  if (parameters.in_batches()) {
    const BatchPlan plan = plan_batches(parameters, parameters.batch);
    return BanditPlan{std::move(parameters),
                      plan.context_bits,
                      plan.inverse_bits,
                      plan.reward_bits,
                      plan.comparison_bits,
                      nullptr,
                      std::make_shared<const BatchPlan>(plan)};
  }
  const StepPlan plan = plan_step(parameters);
  return BanditPlan{std::move(parameters),
                    plan.context_bits,
                    plan.inverse_bits,
                    plan.reward_bits,
                    plan.comparison_bits,
                    std::make_shared<const StepPlan>(plan),
                    nullptr};
}

}  // namespace sotto::apps
