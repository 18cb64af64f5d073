// The result of a run at one role: a line for its terminal, and report.html of the role. Both contain only facts that
// the role itself knows.
//
// In a run whose roles are separate, nobody can play the single companies for comparison, because no role has the data
// of all companies. So a role's result does not say what joining is worth.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/run_settings.h"

namespace sotto::apps::bandit::run {

// "average reward 0.7709 over 5,391 steps; arm 3 in 21.0% of the steps, ...", "10 columns of 1,797 rows, ..."; empty at
// a role that learns nothing about the run except its cost.
[[nodiscard]] std::string role_result(const RoleReport& report, const BanditRun& run);

// One page that loads no other files. `started` is the time of the start in UTC.
[[nodiscard]] std::string role_page(const RoleReport& report, const BanditRun& run, const BanditPlan& plan,
                                    const std::string& started);

}  // namespace sotto::apps::bandit::run
