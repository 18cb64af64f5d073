// An O3M run on one machine that has all the files: a local simulation. This code checks the user's options, makes the
// common parameters of the roles, runs all roles as child processes on loopback (apps/kit/deploy/role_process.h), and
// merges their reports.
//
// A user who has all files learns nothing new from the roles, so this run needs no acknowledgement of the leakage of
// O3M. If a user starts a single role from a config, the role needs an acknowledgement of the leakage (settings.cc).
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

// The arguments of `sotto o3m`.
struct O3mOptions {
  O3mFiles files;
  O3mSettings run;  // steps = 0: all steps of the files; acknowledge_leakage is only reported in the result
  bool compare_central = false;
  std::filesystem::path out;  // folder for the results; empty: the default folder, or with json no files
  bool overwrite = false;     // whether to replace the results of a finished run in `out`
  bool json = false;
};

struct LocalO3m {
  // The session (fresh_session()) and the numbers of participants, steps and arms must be set. The files must have at
  // least `steps` steps.
  O3mSettings run;
  O3mFiles files;
  bool record_scores = false;  // whether the active participant's report has the scores of all steps
  std::filesystem::path program = "/proc/self/exe";  // the program that each role runs
};

struct O3mOutcome {
  // The report of the active participant comes first. The reports of the passive participants and of a separate mask
  // generator follow.
  std::vector<O3mRoleReport> reports;
  double wall_seconds = 0;  // from the start of the first process to the end of the last process

  [[nodiscard]] const O3mRoleReport& active() const { return reports.front(); }
};

// The configs of all roles, without addresses and keys. Paths are absolute.
[[nodiscard]] std::vector<O3mSettings> local_o3m_roles(const LocalO3m& local);

// Calls `progress` from time to time with the progress of the active participant; `progress` may be empty. Throws Error
// with the exit code of the root cause and one line that names the role. Throws Interrupted as soon as `interrupted` is
// set.
[[nodiscard]] O3mOutcome launch_local_o3m(const LocalO3m& local,
                                          const std::function<void(const ProgressState&)>& progress,
                                          const std::atomic<bool>& interrupted);

// The parameters that are the same at all roles of the run. If the run is impossible, throws InputError that names the
// flag or the file. Possible reasons: numbers out of range, more steps than the files have, a mask generator that is no
// passive participant, and contexts too large for the fixed point.
[[nodiscard]] O3mParameters local_parameters(const O3mOptions& options, const O3mInputs& inputs);

[[nodiscard]] LocalO3m local_o3m(const O3mOptions& options, const O3mParameters& parameters);

// The result of one run. With --compare-central this function also plays the central twin.
[[nodiscard]] O3mResult assemble_result(const O3mOptions& options, const O3mInputs& inputs,
                                        const O3mParameters& parameters, const O3mOutcome& outcome);

// The result of a run that ended in an error: all fields that are known, the status "failed", and the message of the
// error, which is one line.
[[nodiscard]] O3mResult failed_result(const O3mOptions& options, const O3mInputs& inputs,
                                      const O3mParameters& parameters, const std::string& error);

}  // namespace sotto::apps::o3m
