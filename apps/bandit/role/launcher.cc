#include "sotto/apps/bandit/role/launcher.h"

#include <algorithm>

#include "sotto/apps/bandit/role/local_state.h"
#include "sotto/apps/kit/deploy/local_processes.h"

namespace sotto::apps {
namespace {

std::vector<RoleConfig> configs_of(const LocalRun& local) {
  if (local.state.empty()) return local_roles(local);
  std::vector<RoleConfig> roles = read_local_state(local.state);
  for (RoleConfig& config : roles) config.resume = true;
  return roles;
}

LaunchOutcome gather(const std::vector<RoleConfig>& roles) {
  LaunchOutcome outcome;
  for (const RoleConfig& role : roles) {
    outcome.reports.push_back(read_role_report(role.report));
    outcome.loop_seconds = std::max(outcome.loop_seconds, outcome.reports.back().online_seconds);
  }
  return outcome;
}

}  // namespace

LaunchOutcome launch_local_run(const LocalRun& run,
                               const std::function<void(const ProgressState&)>& progress,
                               const std::atomic<bool>& interrupted) {
  LocalProcesses processes{configs_of(run), {}, run.program};
  if (run.record_arms) processes.environment_flags.emplace_back("--record-arms");
  LaunchOutcome outcome;
  run_local_processes(processes, progress, interrupted,
                      [&](const std::vector<RoleConfig>& roles) { outcome = gather(roles); });
  return outcome;
}

}  // namespace sotto::apps
