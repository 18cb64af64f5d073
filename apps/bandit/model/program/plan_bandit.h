// From parameters to the plan of a run.
#pragma once

#include "apps/bandit/model/bandit_plan.h"

namespace sotto::apps::bandit {

// Throws InputError, saying which parameter to change, where a value of the run could leave its range.
[[nodiscard]] BanditPlan plan_bandit(BanditParameters parameters);

}  // namespace sotto::apps::bandit
