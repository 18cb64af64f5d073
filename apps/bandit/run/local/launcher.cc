#include "apps/bandit/run/local/launcher.h"

#include <algorithm>

#include "apps/bandit/run/local/local_state.h"
#include "apps/kit/deploy/local_processes.h"

namespace sotto::apps::bandit::run {
namespace {

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
  std::vector<BanditSettings> roles = run.state.empty() ? local_roles(run) : read_local_state(run.state);
  const auto has_environment = [](const RoleSettings& role) {
    return gets_rewards(static_cast<const BanditSettings&>(role));
  };
  std::vector<std::string> flags;
  if (!run.state.empty()) flags.emplace_back("--resume");
  const auto in_folder = [&](const std::filesystem::path& folder) {
    for (BanditSettings& role : roles) {
      if (role.separate_rewarder) role.arm_socket = folder / "arms";
    }
  };
  const LocalProcesses processes{pointers_to(roles), roles.front().steps, has_environment, run.record_arms, flags,
                                 in_folder,          run.program};
  LaunchOutcome outcome;
  run_local_processes(processes, progress, interrupted, [&] { outcome = gather(roles); });
  return outcome;
}

}  // namespace sotto::apps::bandit::run
