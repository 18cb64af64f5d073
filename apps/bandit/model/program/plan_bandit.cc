#include "apps/bandit/model/program/plan_bandit.h"

#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/evaluate/evaluation_plan.h"
#include "apps/bandit/model/step/step_plan.h"

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
  const StepPlan plan = plan_step(parameters);
  return BanditPlan{std::move(parameters),
                    plan.context_bits,
                    plan.kept_inverse_bits,
                    plan.reward_bits,
                    plan.comparison_bits,
                    std::make_shared<const StepPlan>(plan),
                    nullptr};
}

}  // namespace sotto::apps::bandit
