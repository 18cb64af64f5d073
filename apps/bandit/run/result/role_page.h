// The page of a run's result at one role, made only from facts that this role knows.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/run_settings.h"

namespace sotto::apps::bandit::run {

[[nodiscard]] std::string role_result(const RoleReport& report, const BanditRun& run);

[[nodiscard]] std::string role_page(const RoleReport& report, const BanditRun& run, const BanditPlan& plan,
                                    const std::string& started);

}  // namespace sotto::apps::bandit::run
