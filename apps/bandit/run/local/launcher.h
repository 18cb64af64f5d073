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

// The state of a run whose roles are all on this machine: a folder with one folder a role,
//
//     party_0/config.toml   what `sotto party --config` takes
//     party_0/key.pem       its private key and certificate; the store is encrypted under it
//     party_0/store.db ...  its store (apps/bandit/run/state/store.h)
//
// all of them for their owner only. Everything is made before any role is started, in a folder beside it (".new") that
// then gets its name: whoever is killed meanwhile leaves no state, or all of it, which can be resumed whatever happens
// from then on.
//
// That all roles' keys and stores are in one place is what a simulation is: who reads this folder reads the model.
// Roles of different companies each keep their own.

struct LocalRun {
  BanditSettings run;
  std::vector<std::filesystem::path> data;  // a holder of features: parties, then owners
  std::filesystem::path environment;
  std::string world{};                 // instead of both: unix:PATH (sites/world_site.h), and
  std::vector<std::size_t> columns{};  // of each party
  std::filesystem::path log{};         // instead of the environment, where the task is about one
  std::filesystem::path from{};        // the folder of a run whose model this one begins from
  bool record_arms = false;            // the rewarder's report then holds every arm that was pulled
  std::string pull_delay{};            // of the actor's answers (apps/bandit/run/settings/answer_delay.h)
  std::string reward_delay{};          // of the rewarder's, if it has a process of its own
  // Where the roles keep their state: configs and keys are then those of that
  // folder, which create_local_state() has made, and the run goes on from what is there. Empty: none.
  std::filesystem::path state{};
  std::filesystem::path program = "/proc/self/exe";  // what each role runs
};

// The roles of a run on this machine, the dealer first where there is one, without keys and addresses. Paths of files
// are absolute.
[[nodiscard]] std::vector<BanditSettings> local_roles(const LocalRun& local);

// Keys, configs and stores for all roles, and what `add` puts beside them in the folder that it is given; the parent
// must be there. What a process that was killed left of it is made anew. Throws InputError where the folder is not
// empty, ResourceError where it cannot be written or another process makes it.
void create_local_state(const std::filesystem::path& folder, std::vector<BanditSettings> roles,
                        const std::function<void(const std::filesystem::path&)>& add = {});

// The configs that create_local_state() wrote, in the same order. Throws InputError where one is missing.
[[nodiscard]] std::vector<BanditSettings> read_local_state(const std::filesystem::path& folder);

// Whether every role has finished the run. Throws as RoleStore does.
[[nodiscard]] bool local_state_complete(const std::vector<BanditSettings>& roles);

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
