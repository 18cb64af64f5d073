// The result of a run at one role: a line for its terminal, and report.html of the role. Both have only facts that the
// role itself knows.
//
// Nobody can play a company by itself in a run of roles, because no role has the data of all. So a role's result gives
// no worth of joining.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/run_settings.h"

namespace sotto::apps::bandit::run {

// "average reward 0.7709 over 5,391 steps; arm 3 in 21.0% of the steps, ...", "10 columns of 1,797 rows, ..."; empty at
// a role that learns nothing of the run but its cost.
[[nodiscard]] std::string role_result(const RoleReport& report, const BanditRun& run);

// One page that loads nothing. `started` is the time of the start in UTC.
[[nodiscard]] std::string role_page(const RoleReport& report, const BanditRun& run, const BanditPlan& plan,
                                    const std::string& started);

}  // namespace sotto::apps::bandit::run
