// What the roles of a bandit compute in a step, without a message: all roles in this thread, on frames in memory, so
// that each has the whole core and its caches, and waits for nobody.
#pragma once

#include <cstdint>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

// Microseconds a step, refreshes included.
struct StepComputing {
  double parties_us = 0;  // of each round what the slowest party takes, added up: the others wait for it
  double dealer_us = 0;
  double actor_us = 0;
};

// Plays `steps` steps after a few that are not counted. `plan` is of single steps of at least as many, by a dealer.
[[nodiscard]] StepComputing measure_computing(bandit::BanditPlan plan, const LabelledData& data, std::uint64_t steps);

}  // namespace sotto::apps::lab
