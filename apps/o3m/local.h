// An O3M run as one machine sees it that has all the files: a local simulation. Checks what the user asks for, makes
// the roles' common parameters, runs all roles as child processes on loopback (apps/kit/deploy/role_process.h), and
// puts their reports together.
//
// One user who has all files learns nothing from their roles, so that nobody need acknowledge what O3M leaks; roles
// that are started one by one, from configs, must (settings.cc).
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "apps/kit/process/progress.h"
#include "apps/o3m/files.h"
#include "apps/o3m/plan.h"
#include "apps/o3m/result.h"
#include "apps/o3m/role_site.h"
#include "apps/o3m/settings.h"

namespace sotto::apps::o3m {

// What a user asks of it: the arguments of `sotto o3m`.
struct O3mOptions {
  O3mFiles files;
  O3mSettings run;  // 0 steps: those of the files; acknowledge_leakage is recorded
  bool compare_central = false;
  std::filesystem::path out;  // empty: the default, or nothing with json
  bool overwrite = false;     // what a run has finished there
  bool json = false;
};

struct LocalO3m {
  // With session (fresh_session()), participants, steps and arms; steps at most those of the files.
  O3mSettings run;
  O3mFiles files;
  bool record_scores = false;  // the active participant's report then holds the scores of all steps
  std::filesystem::path program = "/proc/self/exe";  // what each role runs
};

struct O3mOutcome {
  // The active one's first, then the passive ones', then that of a mask generator of its own.
  std::vector<O3mRoleReport> reports;
  double wall_seconds = 0;  // all processes, from the first's start to the last's end

  [[nodiscard]] const O3mRoleReport& active() const { return reports.front(); }
};

// The configs of all roles, without addresses and keys. Paths are absolute.
[[nodiscard]] std::vector<O3mSettings> local_o3m_roles(const LocalO3m& local);

// `progress` is called now and then with what the active participant says, and may be empty. Throws Error with the root
// cause's exit code and one line that names the role; Interrupted once `interrupted` is set.
[[nodiscard]] O3mOutcome launch_local_o3m(const LocalO3m& local,
                                          const std::function<void(const ProgressState&)>& progress,
                                          const std::atomic<bool>& interrupted);

// What all roles of that run have alike. Throws InputError that names the flag or the file for what cannot be run:
// numbers out of range, more steps than there are, a mask generator that is none, contexts too large for the fixed
// point.
[[nodiscard]] O3mParameters local_parameters(const O3mOptions& options, const O3mInputs& inputs);

[[nodiscard]] LocalO3m local_o3m(const O3mOptions& options, const O3mParameters& parameters);

// The result of one run; with --compare-central the twin plays here.
[[nodiscard]] O3mResult assemble_result(const O3mOptions& options, const O3mInputs& inputs,
                                        const O3mParameters& parameters, const O3mOutcome& outcome);

// The result of a run that ended in an error: everything that is known, status failed, and the error's one line.
[[nodiscard]] O3mResult failed_result(const O3mOptions& options, const O3mInputs& inputs,
                                      const O3mParameters& parameters, const std::string& error);

}  // namespace sotto::apps::o3m
