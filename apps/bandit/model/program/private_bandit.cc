#include "apps/bandit/model/program/private_bandit.h"

#include <utility>

#include "apps/bandit/model/batch/private_batches.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/step/single_step.h"

namespace sotto::apps::bandit {

Task<BanditModel> private_bandit(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule) {
  if (!plan.batches) co_return co_await single_steps(party, plan, site, schedule);
  if (plan.evaluation) co_return co_await private_evaluation(party, *plan.batches, *plan.evaluation, site);
  BatchSchedule order(plan.parameters, schedule.from_step);
  co_return co_await private_batches(party, *plan.batches, std::move(order), site, schedule);
}

}  // namespace sotto::apps::bandit
