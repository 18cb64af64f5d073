// What a run costs, known before it: the program run on shapes alone.
#pragma once

#include <cstdint>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/party/ledger.h"

namespace sotto::apps::bandit {

// Exact rounds and bytes of the run, from where its schedule starts, by the program run on shapes alone.
[[nodiscard]] Ledger plan_costs(const BanditPlan& plan, BanditSchedule schedule = {});

// Of a run in batches: two batches of the most events, each decided and learned at once, from where its schedule
// starts. The rounds of a pass in it are those of one such batch.
[[nodiscard]] Ledger plan_full_batches(const BanditPlan& plan, BanditSchedule schedule = {});

// The most bytes that the dealer sends in one chunk of that run, header included; no less, where a run in batches never
// comes to one of the most events. The work does not grow with the steps.
[[nodiscard]] std::uint64_t largest_chunk(BanditPlan plan, BanditSchedule schedule);

}  // namespace sotto::apps::bandit
