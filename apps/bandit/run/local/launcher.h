// Runs all roles of a local simulation of the private bandit as child processes on loopback (local_processes.h), and
// gathers their reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "apps/bandit/run/local/local_state.h"
#include "apps/bandit/run/result/role_report.h"
#include "apps/kit/process/progress.h"

namespace sotto::apps::bandit::run {

struct LaunchOutcome {
  std::vector<RoleReport> reports;  // of all roles
  double loop_seconds = 0;          // wall time from the first round to the last, all roles together
};

// `progress` is called now and then with what the rewarder reports, and may be empty. Throws Error with the root
// cause's exit code and one line that names the role; Interrupted once `interrupted` is set.
[[nodiscard]] LaunchOutcome launch_local_run(const LocalRun& run,
                                             const std::function<void(const ProgressState&)>& progress,
                                             const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
