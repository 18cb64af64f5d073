// The facts of a run that follow from its settings and its plan: the beginning of the result of a run on one machine,
// and of the result of a run at one role.
#pragma once

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/run_settings.h"

namespace sotto::apps::bandit::run {

// eta_composed covers run.steps arms; a caller replaces it if steps were repeated.
[[nodiscard]] BanditResult facts_of(const BanditRun& run, const BanditPlan& plan);

}  // namespace sotto::apps::bandit::run
