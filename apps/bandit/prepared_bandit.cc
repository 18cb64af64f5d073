#include "sotto/apps/bandit/prepared_bandit.h"

#include <stdexcept>
#include <utility>

#include "sotto/apps/bandit/site.h"
#include "sotto/protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocols/preprocessing/transfers/run_transfers.h"

namespace sotto::apps {

Task<BanditModel> prepared_bandit(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule,
                                  Seed secret, std::string label, protocols::MaterialStock* stock) {
  const RandomnessBy by = plan.parameters.preprocessing;
  if (party.topology().has_dealer() != (by == RandomnessBy::dealer)) {
    throw std::invalid_argument("the run's randomness and its roles do not go together");
  }
  if (by == RandomnessBy::dealer) co_return co_await private_bandit(party, plan, site, schedule);
  // Requests are recorded by roles of their own, which have nothing to bring.
  QuietSite quiet;
  const auto program = [&plan, &site, schedule](Party& at) { return private_bandit(at, plan, site, schedule); };
  const auto recorded = [&plan, &quiet, schedule](Party& at) { return private_bandit(at, plan, quiet, schedule); };
  if (by == RandomnessBy::ot) {
    co_return co_await protocols::run_transfers(party, std::move(secret), std::move(label), program, recorded, stock);
  }
  co_return co_await protocols::run_replicated(party, std::move(secret), std::move(label), program, recorded, stock);
}

Task<std::uint64_t> prepare_bandit(Party& party, const BanditPlan& plan, BanditSite& site, Seed secret,
                                   std::string label, protocols::MaterialStock& stock, std::function<bool()> enough) {
  if (plan.parameters.preprocessing == RandomnessBy::dealer) {
    throw std::invalid_argument("a dealer makes the randomness of this run");
  }
  const auto recorded = [&plan, &site](Party& at) { return private_bandit(at, plan, site, {}); };
  if (plan.parameters.preprocessing == RandomnessBy::ot) {
    co_return co_await protocols::fill_transfers(party, std::move(secret), std::move(label), recorded, stock,
                                                 std::move(enough));
  }
  co_return co_await protocols::fill_replicated(party, std::move(secret), std::move(label), recorded, stock,
                                                std::move(enough));
}

}  // namespace sotto::apps
