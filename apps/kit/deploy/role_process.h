// The code that is common to all processes of roles that play in rounds: options, progress, and the local run of all
// roles.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/files/output_file.h"
#include "apps/kit/process/process_group.h"
#include "apps/kit/process/progress.h"
#include "apps/kit/report/run_header.h"
#include "apps/kit/settings/config_options.h"
#include "apps/kit/settings/role_settings.h"
#include "core/system/descriptor.h"
#include "sotto/protocol/mesh/driver/options.h"

namespace sotto::apps {

// The arguments that a launcher passes to a role.
struct RoleExtras {
  std::optional<int> listen_descriptor;    // a bound socket on which the role listens, instead of its config's address
  std::optional<int> progress_descriptor;  // a pipe for the role's progress; set only for the role that sees rewards
  bool record = false;                     // true: the report also contains every arm or every score
};

// Declares the options of a role: the hidden options that the launcher uses, and the options of the config.
void add_role_options(Command& command, ConfigArguments& arguments, RoleExtras& extras,
                      const std::vector<Setting>& settings);

// Reports progress to the launcher, or on a terminal if there is no launcher.
class RoleProgress {
 public:
  RoleProgress(const RoleExtras& extras, std::uint64_t total_steps);
  void tell(std::uint64_t step, double average, std::uint64_t rounds);

 private:
  std::uint64_t total_steps_;
  ProgressWriter writer_;
  ProgressLine line_;
};

[[nodiscard]] net::DriverOptions driver_options(const RoleSettings& config, const std::atomic<bool>& interrupted);

// Prints a line on stdout for each insecure switch (for tests only) that was set.
void warn_of_insecure(const RoleHeader& report);

// Runs all roles of a run as processes of this machine, on loopback.
//
// Each role is another process of this program, `sotto ... --config FILE --listen-descriptor N`, with a socket that is
// already bound. Two roles therefore never choose the same port. The processes of the roles end when the launcher ends.
// Keys, configs and reports are in a folder that only the user can read. The launcher removes the folder at the end.

// The processes of one run, their private folder, and their progress.
class LocalGroup {
 public:
  LocalGroup(const std::filesystem::path& program, const std::atomic<bool>& interrupted)
      : group_(program, interrupted) {}
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  // `listener` is passed as --listen-descriptor, and a pipe as --progress-descriptor.
  void start(const std::string& name, std::vector<std::string> arguments, Descriptor listener, bool tells_progress);
  // Waits for all processes; call wait() after all processes were started. Throws the errors of ProcessGroup::wait.
  void wait(std::uint64_t steps, const std::function<void(const ProgressState&)>& progress);

 private:
  PrivateFolder folder_;
  ProgressPipe pipe_;
  ProcessGroup group_;  // the last member, so that the processes end before the folder and the pipe are destroyed
};

struct LocalProcesses {
  // The configs of all roles. Addresses must be missing and keys may be missing; run_local_processes() fills in
  // addresses and missing keys. Each role's report is written into the folder of the run.
  std::vector<RoleSettings*> roles;
  std::uint64_t steps = 0;  // number of steps of the run, for the progress
  std::function<bool(const RoleSettings&)> tells_progress;
  bool record = false;               // true: the reports also contain every arm or every score
  std::vector<std::string> flags{};  // flags that all roles get in addition to the flags of every run
  std::function<void(const std::filesystem::path& folder)> in_folder{};  // called before the first role is started
  std::filesystem::path program = "/proc/self/exe";                      // the executable of each role
};

// Pointers to the settings of all roles of a program, for LocalProcesses::roles.
template <class S>
[[nodiscard]] std::vector<RoleSettings*> pointers_to(std::vector<S>& roles) {
  std::vector<RoleSettings*> pointers;
  pointers.reserve(roles.size());
  for (S& role : roles) pointers.push_back(&role);
  return pointers;
}

// Runs all roles until they end. `progress` is called from time to time with the state from the role that reports
// progress; `progress` may be empty. `collect` is called once all roles have ended well, while the reports that the
// configs name still exist. Links are encrypted with keys that are made for this run only, unless insecure_plaintext is
// set for the run. Throws Error with the root cause's exit code and one line that names the role. The error names the
// role that first failed by itself, and not a role that failed because it lost a peer. Throws Interrupted once
// `interrupted` is set.
void run_local_processes(const LocalProcesses& processes, const std::function<void(const ProgressState&)>& progress,
                         const std::atomic<bool>& interrupted, const std::function<void()>& collect);

}  // namespace sotto::apps
