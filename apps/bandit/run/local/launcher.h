// Runs all roles of a local simulation of the private bandit as child processes on loopback (role_process.h), and
// gathers their reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "apps/bandit/run/result/role_report.h"
#include "apps/bandit/run/settings/settings.h"
#include "apps/kit/process/progress.h"

namespace sotto::apps::bandit::run {

// The state of a run whose roles are all on this machine: a folder with one folder per role:
//
//     party_0/config.toml   the file that `sotto party --config` takes
//     party_0/key.pem       its private key and certificate; the store is encrypted under it
//     party_0/store.db ...  its store (apps/bandit/run/state/store.h)
//
// All files are accessible only to their owner. All files are made before any role starts, in a folder that is next to
// the final one and has the ending ".new"; this folder then gets the final name. So a process that is killed while
// making the files leaves no state or the complete state. A run can be resumed from a complete state, whatever happens
// afterwards.
//
// In a simulation all roles' keys and stores are in one place, so anybody who reads this folder reads the model. Roles
// of different companies each keep their own key and store.

struct LocalRun {
  BanditSettings run;
  std::vector<std::filesystem::path> data;  // one per holder of features: parties, then owners
  std::filesystem::path environment;
  std::string world{};                 // instead of `data` and `environment`: unix:PATH (sites/world_site.h)
  std::vector<std::size_t> columns{};  // number of each party's columns, if rows come from a world
  std::filesystem::path log{};         // instead of the environment, if the task is about a log
  std::filesystem::path from{};        // the folder of an earlier run; this run begins from the model of that run
  bool record_arms = false;            // whether the rewarder's report has every pulled arm
  std::string pull_delay{};            // delay of the actor's answers (apps/bandit/run/settings/answer_delay.h)
  std::string reward_delay{};          // delay of the rewarder's answers, if it has a process of its own
  // The folder of the roles' state. With this folder, the roles use the configs and keys that create_local_state() has
  // made in it, and continue from the state in it. If the path is empty, the roles keep no state.
  std::filesystem::path state{};
  std::filesystem::path program = "/proc/self/exe";  // the program that each role runs
};

// The roles of a run on this machine, without keys and addresses. The dealer comes first if there is one. Paths of
// files are absolute.
[[nodiscard]] std::vector<BanditSettings> local_roles(const LocalRun& local);

// Makes keys, configs and stores for all roles. `add` adds further files to the folder that it receives. The parent
// folder must exist. Files that a killed process has left are made again. Throws InputError if the folder is not empty,
// and ResourceError if it cannot be written or another process is making it.
void create_local_state(const std::filesystem::path& folder, std::vector<BanditSettings> roles,
                        const std::function<void(const std::filesystem::path&)>& add = {});

// The configs that create_local_state() wrote, in the same order. Throws InputError if a config is missing.
[[nodiscard]] std::vector<BanditSettings> read_local_state(const std::filesystem::path& folder);

// Whether every role has finished the run. Throws as RoleStore does.
[[nodiscard]] bool local_state_complete(const std::vector<BanditSettings>& roles);

struct LaunchOutcome {
  std::vector<RoleReport> reports;  // of all roles
  double loop_seconds = 0;          // wall time from the first round to the last round of all roles
};

// `progress` may be empty; otherwise it is called now and then with the rewarder's progress. Throws Error with the root
// cause's exit code and one line that names the role. Throws Interrupted once `interrupted` is set.
[[nodiscard]] LaunchOutcome launch_local_run(const LocalRun& run,
                                             const std::function<void(const ProgressState&)>& progress,
                                             const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
