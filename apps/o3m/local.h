// An O3M run on one machine that has all the files. Each role is a child process on loopback.
//
// A user with all files learns nothing new from the roles, so this run needs no acknowledgement of O3M's leakage. A
// role that is started on its own needs the acknowledgement.
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

struct O3mOptions {
  O3mFiles files;
  O3mSettings run;  // `steps` = 0 means all steps of the files; acknowledge_leakage only affects the report
  bool compare_central = false;
  std::filesystem::path out;  // empty: the default folder, or no files if `json` is set
  bool overwrite = false;
  bool json = false;
};

struct LocalO3m {
  // The session (fresh_session()) and the numbers of participants, steps and arms must be set.
  O3mSettings run;
  O3mFiles files;
  bool record_scores = false;
  std::filesystem::path program = "/proc/self/exe";
};

struct O3mOutcome {
  // The reports of the active participant, of the passive participants, and of a separate mask generator, in this
  // order.
  std::vector<O3mRoleReport> reports;
  double wall_seconds = 0;

  [[nodiscard]] const O3mRoleReport& active() const { return reports.front(); }
};

// Returns the configs of all roles, without addresses and keys. Paths are absolute.
[[nodiscard]] std::vector<O3mSettings> local_o3m_roles(const LocalO3m& local);

// If a role fails, throws Error with the exit code of the root cause and one line that names the role. Throws
// Interrupted as soon as `interrupted` is set.
[[nodiscard]] O3mOutcome launch_local_o3m(const LocalO3m& local,
                                          const std::function<void(const ProgressState&)>& progress,
                                          const std::atomic<bool>& interrupted);

// Throws InputError, which names the flag or the file, if the run is impossible.
[[nodiscard]] O3mParameters local_parameters(const O3mOptions& options, const O3mInputs& inputs);

[[nodiscard]] LocalO3m local_o3m(const O3mOptions& options, const O3mParameters& parameters);

[[nodiscard]] O3mResult assemble_result(const O3mOptions& options, const O3mInputs& inputs,
                                        const O3mParameters& parameters, const O3mOutcome& outcome);

[[nodiscard]] O3mResult failed_result(const O3mOptions& options, const O3mInputs& inputs,
                                      const O3mParameters& parameters, const std::string& error);

}  // namespace sotto::apps::o3m
