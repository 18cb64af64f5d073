#include "sotto/apps/bandit/role/launcher.h"

#include <algorithm>

#include "sotto/apps/bandit/role/local_state.h"
#include "sotto/apps/kit/deploy/local_processes.h"

namespace sotto::apps {
namespace {

std::vector<BanditSettings> configs_of(const LocalRun& local) {
  if (local.state.empty()) return local_roles(local);
  std::vector<BanditSettings> roles = read_local_state(local.state);
  for (BanditSettings& config : roles) config.resume = true;
  return roles;
}

LaunchOutcome gather(const std::vector<BanditSettings>& roles) {
  LaunchOutcome outcome;
  for (const BanditSettings& role : roles) {
    outcome.reports.push_back(read_role_report(role.report));
    outcome.loop_seconds = std::max(outcome.loop_seconds, outcome.reports.back().online_seconds);
  }
  return outcome;
}

}  // namespace

LaunchOutcome launch_local_run(const LocalRun& run, const std::function<void(const ProgressState&)>& progress,
                               const std::atomic<bool>& interrupted) {
  std::vector<BanditSettings> roles = configs_of(run);
  const auto has_environment = [](const RoleSettings& role) {
    return !static_cast<const BanditSettings&>(role).environment.empty();
  };
  const auto flags = [&](const RoleSettings& role) {
    std::vector<std::string> own;
    if (static_cast<const BanditSettings&>(role).resume) own.emplace_back("--resume");
    if (run.record_arms && has_environment(role)) own.emplace_back("--record-arms");
    return own;
  };
  const auto in_folder = [&](const std::filesystem::path& folder) {
    for (BanditSettings& role : roles) {
      if (role.separate_rewarder) role.arm_socket = folder / "arms";
    }
  };
  const LocalProcesses processes{pointers_to(roles), roles.front().steps, has_environment, flags,
                                 in_folder,          run.program};
  LaunchOutcome outcome;
  run_local_processes(processes, progress, interrupted, [&] { outcome = gather(roles); });
  return outcome;
}

}  // namespace sotto::apps
