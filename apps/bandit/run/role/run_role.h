// Runs one role of the private bandit, from its config to its report.
//
// It reads what the role owns (a party its CSV, the rewarder of a simulation the environment), connects and shakes
// hands, takes the run's parameters from the config and the parties' announcements, runs the program and writes the
// role's report. A role with a state folder opens its store before it connects, writes the new epoch down before the
// first frame of the rounds, keeps its share of the model on the way, and with config.resume goes on from the newest
// checkpoint that all roles have (role_state.h). It throws what can go wrong on the way
// (include/sotto/protocol/mesh/driver/run.h, include/sotto/protocol/mesh/mesh.h, and the readers of its files); by then
// every peer has been told.
#pragma once

#include <atomic>

#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/deploy/role_process.h"

namespace sotto::apps::bandit::run {

RoleReport run_role(const BanditSettings& config, const RoleExtras& extras, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
