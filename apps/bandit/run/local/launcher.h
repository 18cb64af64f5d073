// Runs all roles of a local simulation as child processes on loopback, and gathers their reports.
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

// The state of a run whose roles are all on this machine is a folder with one folder per role:
//
//     party_0/config.toml   the file that `sotto party --config` reads
//     party_0/key.pem       the role's private key and certificate; the role encrypts its store under this key
//     party_0/store.db ...  the role's store (apps/bandit/run/state/store.h)
//
// Only the owner of the files can access them. The launcher makes all files in a folder with the ending ".new", and
// then renames this folder to its final name. So if the process is killed, the final folder is either absent or
// complete.
//
// This folder has the keys and stores of all roles, so anybody who reads the folder can read the model.

struct LocalRun {
  BanditSettings run;
  std::vector<std::filesystem::path> data;  // files of the parties, then of the owners
  std::filesystem::path environment;
  std::string world{};                 // unix:PATH
  std::vector<std::size_t> columns{};  // number of columns of each holder; only if `world` is set
  std::filesystem::path log{};         // file of the log, instead of `environment`
  std::filesystem::path from{};
  bool record_arms = false;
  std::string pull_delay{};
  std::string reward_delay{};
  // The folder from create_local_state(). If empty, the roles store no state.
  std::filesystem::path state{};
  std::filesystem::path program = "/proc/self/exe";
};

// Returns the settings of all roles, the dealer first if there is one. Paths of files are absolute.
[[nodiscard]] std::vector<BanditSettings> local_roles(const LocalRun& local);

// `add` writes further files into the folder. Throws InputError if the folder is not empty. Throws ResourceError if the
// folder cannot be written, or if another process is making it.
void create_local_state(const std::filesystem::path& folder, std::vector<BanditSettings> roles,
                        const std::function<void(const std::filesystem::path&)>& add = {});

[[nodiscard]] std::vector<BanditSettings> read_local_state(const std::filesystem::path& folder);

[[nodiscard]] bool local_state_complete(const std::vector<BanditSettings>& roles);

struct LaunchOutcome {
  std::vector<RoleReport> reports;
  double loop_seconds = 0;  // from the first to the last round
};

// If a role fails, throws Error with the exit code of the root cause and the name of that role. Throws Interrupted if
// `interrupted` is set.
[[nodiscard]] LaunchOutcome launch_local_run(const LocalRun& run,
                                             const std::function<void(const ProgressState&)>& progress,
                                             const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
