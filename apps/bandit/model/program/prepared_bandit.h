// prepared_bandit: the private bandit with randomness from whom the run's parameters say (RandomnessBy).
//
// Functionality   private_bandit.h. With a dealer it is that. Without one the roles agree on keys and make what a
//                 stretch of steps asks for ahead of it (protocols/preprocessing/replicated/run_replicated.h, or
//                 protocols/preprocessing/transfers/run_transfers.h of two parties).
// Rounds, bytes   without a dealer those of the phase "preprocessing" beside; `sotto plan --preprocessing` prints them.
// Who sees what   private_bandit.h, with nobody in the dealer's place; randomness_account.h says who could know what.
// Throws          std::invalid_argument where the topology is not that of the parameters.
#pragma once

#include <cstdint>
#include <functional>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/learned_model.h"
#include "protocols/preprocessing/recorded/material.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"

namespace sotto::apps::bandit {

// `plan` and `site` outlive the task. `own` is fresh for each epoch: with a dealer it is not used.
// With a stock, which outlives it as well, the first stretches are taken from there.
[[nodiscard]] Task<BanditModel> prepared_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                                BanditSchedule schedule, protocols::OwnRandomness own,
                                                protocols::MaterialStock* stock = nullptr);

// Makes what a run from its first step on asks for, into the stock, behind the stretches that are there, until
// `enough`. `site` hears of the steps that are played for their requests. Returns the stretches of the stock. Throws as
// prepared_bandit, and std::invalid_argument with a dealer.
[[nodiscard]] Task<std::uint64_t> prepare_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                                 protocols::OwnRandomness own, protocols::MaterialStock& stock,
                                                 std::function<bool()> enough);

}  // namespace sotto::apps::bandit
