#include "sotto/apps/bandit/private_bandit.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sotto/apps/bandit/batch/private_batches.h"
#include "sotto/apps/bandit/evaluate/private_evaluation.h"
#include "sotto/apps/bandit/step/single_step.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
void BanditSite::rewards(std::uint64_t first, std::span<std::uint64_t> out) {
  for (std::uint64_t& word : out) word = reward(first++);
}
std::size_t BanditSite::logged_arm(std::uint64_t) { throw std::logic_error("this role has no log"); }
void BanditSite::logged_weight(std::uint64_t, std::span<std::uint64_t>, std::span<std::uint64_t>) {
  throw std::logic_error("this role has no log");
}
void BanditSite::evaluated(const OpenedSums&) { throw std::logic_error("this role has no log"); }
void BanditSite::load(std::uint64_t, ModelShares&) { throw std::logic_error("this role has kept no model"); }

Cost cost_of_steps(const Ledger& ledger) {
  Cost cost;
  for (const Ledger::Phase& phase : ledger.phases()) {
    if (plays_steps(phase.name) || phase.name == refresh_phase) cost += phase.total;
  }
  return cost;
}

Task<BanditModel> private_bandit(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule) {
  if (!plan.batches) co_return co_await single_steps(party, plan, site, schedule);
  if (plan.evaluation) co_return co_await private_evaluation(party, *plan.batches, *plan.evaluation, site);
  BatchSchedule order(plan.parameters, schedule.from_step);
  co_return co_await private_batches(party, *plan.batches, std::move(order), site, schedule);
}

std::size_t arm_of(std::span<const std::uint64_t> one_hot, std::uint64_t step) {
  const auto ones = std::count(one_hot.begin(), one_hot.end(), 1u);
  const auto zeros = std::count(one_hot.begin(), one_hot.end(), 0u);
  if (ones != 1 || zeros + 1 != std::ssize(one_hot)) {
    throw ProtocolError(ProtocolError::Kind::malformed, "compute parties", step,
                        "the opened arm is not one-hot: the parties run another program, or a score left its range");
  }
  return static_cast<std::size_t>(std::find(one_hot.begin(), one_hot.end(), 1u) - one_hot.begin());
}

}  // namespace sotto::apps
