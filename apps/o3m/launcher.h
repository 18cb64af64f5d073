// Runs all roles of an O3M run on this machine as child processes on loopback (apps/kit/deploy/local_processes.h), and
// gathers their reports.
//
// One user who has all files learns nothing from their roles, so that nobody need acknowledge what O3M leaks; roles
// that are started one by one, from configs, must (settings.cc).
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <vector>

#include "sotto/apps/kit/process/progress.h"
#include "sotto/apps/o3m/inputs.h"
#include "sotto/apps/o3m/role_report.h"
#include "sotto/apps/o3m/settings.h"

namespace sotto::apps {

struct LocalO3m {
  // With session (fresh_session()), participants, steps and arms; steps at most those
  // of the files.
  O3mSettings run;
  O3mFiles files;
  bool record_scores = false;  // the active participant's report then holds the scores of all steps
  std::filesystem::path program = "/proc/self/exe";  // what each role runs
};

struct O3mOutcome {
  std::vector<O3mRoleReport> reports;  // the active one's first, then the passive ones', then that
                                       // of a mask generator of its own
  double wall_seconds = 0;             // all processes, from the first's start to the last's end

  [[nodiscard]] const O3mRoleReport& active() const { return reports.front(); }
};

// The configs of all roles, without addresses and keys. Paths are absolute.
[[nodiscard]] std::vector<O3mSettings> local_o3m_roles(const LocalO3m& local);

// `progress` is called now and then with what the active participant says, and may be empty. Throws Error with the root
// cause's exit code and one line that names the role; Interrupted once `interrupted` is set.
[[nodiscard]] O3mOutcome launch_local_o3m(const LocalO3m& local,
                                          const std::function<void(const ProgressState&)>& progress,
                                          const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
