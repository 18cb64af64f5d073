// The result of a run of the private bandit as one machine sees it that has all the files: the roles' reports, put
// together.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/run/local/local_inputs.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/result/role_report.h"

namespace sotto::apps::bandit::run {

// The result of one run: the reports of all roles, the wall time of the whole, and the plain-text twin, run here.
[[nodiscard]] BanditResult assemble_result(const BanditOptions& options, const LocalInputs& inputs,
                                           const BanditSettings& run, const std::vector<RoleReport>& reports,
                                           double loop_seconds);

// What the steps took, without the time that the last party waited for the dealer, beside what a model of the links
// makes of the roles' own times. A dealer who is late also changes how the parties wait for each other: for this he had
// better deal ahead.
[[nodiscard]] LinkModel compare_with_model(const BanditSettings& run, const BanditPlan& plan,
                                           const std::vector<RoleReport>& reports);

// The result of a run that ended in an error: everything that is known, status failed, and the error's one line.
[[nodiscard]] BanditResult failed_result(const BanditOptions& options, const LocalInputs& inputs,
                                         const BanditSettings& run, const std::string& error);

}  // namespace sotto::apps::bandit::run
