#include "apps/bandit/model/program/private_bandit.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "apps/bandit/model/batch/private_batches.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/single_step.h"

namespace sotto::apps::bandit {

Task<BanditModel> private_bandit(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule) {
  if (!plan.batches) co_return co_await single_steps(party, plan, site, schedule);
  if (plan.evaluation) co_return co_await private_evaluation(party, *plan.batches, *plan.evaluation, site);
  BatchSchedule order(plan.parameters, schedule.from_step);
  co_return co_await private_batches(party, *plan.batches, std::move(order), site, schedule);
}

Task<BanditModel> prepared_bandit(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule,
                                  protocols::OwnRandomness own, protocols::MaterialStock* stock) {
  // With this site the program runs only to record which randomness the program requests.
  BanditSite quiet;
  std::optional<BanditModel> model;
  std::optional<BanditModel> unseen;
  const protocols::StartProgram program = [&](Party& at) {
    return protocols::leaving(private_bandit(at, plan, site, schedule), model);
  };
  const protocols::StartProgram recorded = [&](Party& at) {
    return protocols::leaving(private_bandit(at, plan, quiet, schedule), unseen);
  };
  co_await protocols::run_with_randomness(party, plan.parameters.preprocessing, std::move(own), program, recorded,
                                          stock);
  co_return std::move(*model);
}

Task<std::uint64_t> prepare_bandit(Party& party, const BanditPlan& plan, BanditSite& site, protocols::OwnRandomness own,
                                   protocols::MaterialStock& stock, std::function<bool()> enough) {
  if (cast_of(plan.parameters.preprocessing).has_dealer) {
    throw std::invalid_argument("a dealer makes the randomness of this run");
  }
  std::optional<BanditModel> unseen;
  const protocols::StartProgram recorded = [&](Party& at) {
    return protocols::leaving(private_bandit(at, plan, site, {}), unseen);
  };
  co_return co_await protocols::fill_stock(party, plan.parameters.preprocessing, std::move(own), recorded, stock,
                                           std::move(enough));
}

}  // namespace sotto::apps::bandit
