// Runs all roles of a local simulation of the private bandit as child processes on loopback (local_processes.h), and
// gathers their reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sotto/apps/bandit/role_report.h"
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/kit/process/progress.h"

namespace sotto::apps {

struct LocalRun {
  BanditSettings run;
  std::vector<std::filesystem::path> data;  // a holder of features: parties, then owners
  std::filesystem::path environment;
  std::string world{};                 // instead of both: unix:PATH (role/world_line.h), and
  std::vector<std::size_t> columns{};  // of each party
  std::filesystem::path log{};         // instead of the environment, where the task is about one
  std::filesystem::path from{};        // the folder of a run whose model this one begins from
  bool record_arms = false;            // the rewarder's report then holds every arm that was pulled
  std::string pull_delay{};            // of the actor's answers (apps/bandit/delay.h)
  std::string reward_delay{};          // of the rewarder's, if it has a process of its own
  // Where the roles keep their state (apps/bandit/role/local_state.h): configs and keys are then those of that folder,
  // which create_local_state() has made, and the run goes on from what is there. Empty: none.
  std::filesystem::path state{};
  std::filesystem::path program = "/proc/self/exe";  // what each role runs
};

struct LaunchOutcome {
  std::vector<RoleReport> reports;  // of all roles
  double loop_seconds = 0;          // wall time from the first round to the last, all roles together
};

// `progress` is called now and then with what the rewarder reports, and may be empty. Throws Error with the root
// cause's exit code and one line that names the role; Interrupted once `interrupted` is set.
[[nodiscard]] LaunchOutcome launch_local_run(const LocalRun& run,
                                             const std::function<void(const ProgressState&)>& progress,
                                             const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
