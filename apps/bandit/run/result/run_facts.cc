#include "apps/bandit/run/result/run_facts.h"

namespace sotto::apps::bandit::run {

BanditResult facts_of(const BanditRun& run, const BanditPlan& plan) {
  BanditResult result;
  result.steps = run.steps;
  result.arms = run.arms;
  result.features = plan.parameters.features();
  result.parties = run.parties;
  result.computing_only = run.computing_only;
  result.owners = run.owners;
  result.preprocessing = run.preprocessing;
  result.randomness = randomness_account(run.preprocessing, run.nodes());
  result.epsilon = used_epsilon(exploration_of(run.epsilon));
  result.max_norm = plan.parameters.max_norm;
  result.joint_norm_holds = run.joint_norm_holds;
  result.fraction_bits = static_cast<int>(plan.context_bits);
  result.inverse_fraction_bits = static_cast<int>(plan.inverse_bits);
  result.comparison_bits = static_cast<int>(plan.comparison_bits);
  result.reward_bits = static_cast<int>(plan.reward_bits);
  result.batch = run.batch;
  result.reward_lag = run.reward_lag;
  result.contexts_ahead = run.contexts_ahead;
  result.batches = plan.batches;
  result.single_step = plan.step;
  result.evaluation_plan = plan.evaluation;
  if (run.task == BanditTask::play) {
    result.eta_per_action = eta_per_action(run.arms, result.epsilon);
    result.eta_composed = eta_composed(run.arms, result.epsilon, run.steps);
  } else {  // the run opens no arm
    result.eta_per_action = {0, 0};
    result.eta_composed = {0, 0, default_delta};
  }
  return result;
}

}  // namespace sotto::apps::bandit::run
