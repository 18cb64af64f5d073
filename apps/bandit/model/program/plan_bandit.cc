#include "apps/bandit/model/bandit_plan.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/private_batches.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/step/single_step.h"
#include "apps/bandit/model/step/step_plan.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps::bandit {

BanditPlan plan_bandit(BanditParameters parameters) {
  if (parameters.in_batches()) {
    const BatchPlan plan = plan_batches(parameters, parameters.batch);
    std::shared_ptr<const EvaluationPlan> evaluation;
    if (parameters.task == BanditTask::evaluate) {
      evaluation = std::make_shared<const EvaluationPlan>(plan_evaluation(plan));
    }
    return BanditPlan{std::move(parameters),
                      plan.context_bits,
                      plan.inverse_bits,
                      plan.reward_bits,
                      plan.comparison_bits,
                      nullptr,
                      std::make_shared<const BatchPlan>(plan),
                      std::move(evaluation)};
  }
  return plan_single_steps(std::move(parameters));
}

namespace {

Ledger plan_steps(BanditPlan plan, BanditSchedule schedule, std::uint64_t steps) {
  plan.parameters.steps = steps;
  BanditSite site;
  return protocols::plan(plan.parameters.topology(), [&](Party& party) {
    return prepared_bandit(party, plan, site, schedule, {Seed::insecure_from_number(0), "plan"});
  });
}

Ledger plan_full_evaluation(BanditPlan plan) {
  EvaluationPlan fewer = *plan.evaluation;
  fewer.learned = std::min<std::uint64_t>(fewer.learned, 2 * plan.batches->batch);
  fewer.evaluated = std::min<std::uint64_t>(fewer.evaluated, 2 * fewer.batch);
  plan.evaluation = std::make_shared<const EvaluationPlan>(fewer);
  return plan_steps(plan, {}, plan.parameters.steps);
}

}  // namespace

Ledger plan_costs(const BanditPlan& plan, BanditSchedule schedule) {
  const std::uint64_t steps = plan.parameters.steps;
  const bool in_stretches = plan.parameters.preprocessing != RandomnessBy::dealer;
  if (plan.batches || in_stretches) return plan_steps(plan, schedule, steps);
  // From the second refresh period on, all periods have the same costs.
  const std::uint64_t refresh = plan.step->refresh_every;
  const std::uint64_t kept = schedule.checkpoint_every;
  const bool only_at_end = kept == 0 || kept >= steps;
  const std::uint64_t period = only_at_end ? refresh : std::lcm(refresh, kept);
  const std::uint64_t periods = period == 0 ? 0 : (steps - schedule.from_step) / period;
  if (periods < 4) return plan_steps(plan, schedule, steps);
  const std::uint64_t repeated = periods - 2;
  const std::uint64_t fewer = steps - repeated * period;
  Ledger ledger = plan_steps(plan, schedule, fewer);
  ledger.repeat(plan_steps(plan, schedule, fewer + period), repeated);
  return ledger;
}

Ledger plan_full_batches(const BanditPlan& plan, BanditSchedule schedule) {
  if (plan.evaluation) return plan_full_evaluation(plan);
  const std::size_t size = std::min<std::uint64_t>(plan.batches->batch, plan.parameters.steps - schedule.from_step);
  if (plan.parameters.preprocessing != RandomnessBy::dealer) {
    BanditPlan two = plan;
    two.parameters.reward_lag = 0;
    return plan_steps(std::move(two), schedule, schedule.from_step + 2 * size);
  }
  const auto order =
      BatchSchedule::even(schedule.from_step + 2 * size, std::max<std::size_t>(size, 1), schedule.from_step);
  BanditSite site;
  return protocols::plan(plan.parameters.topology(),
                         [&](Party& party) { return private_batches(party, *plan.batches, order, site, schedule); });
}

std::uint64_t largest_chunk(BanditPlan plan, BanditSchedule schedule) {
  if (plan.batches) return plan_full_batches(plan, schedule).largest_chunk();
  // The first three steps contain chunks of every size, because only the masks of the first step differ from those of
  // later steps.
  constexpr std::uint64_t unlike_steps = 3;
  auto step = std::make_shared<StepPlan>(*plan.step);
  const std::uint64_t every = step->refresh_every;
  step->refresh_every = plan.parameters.steps / every > schedule.from_step / every ? 2 : every;
  plan.step = step;
  plan.parameters.steps = std::min(plan.parameters.steps, schedule.from_step + unlike_steps);
  return plan_costs(plan, schedule).largest_chunk();
}

}  // namespace sotto::apps::bandit
