// The facts of a run that follow from its settings and its plan.
#pragma once

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/run_settings.h"

namespace sotto::apps::bandit::run {

// eta_composed covers run.steps arms. It does not cover repeated steps.
[[nodiscard]] BanditResult facts_of(const BanditRun& run, const BanditPlan& plan);

}  // namespace sotto::apps::bandit::run
