// The common parts of the processes of roles that play in rounds, in addition to their config.
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
  std::optional<int> listen_descriptor;    // a bound socket to listen on, instead of the address
  std::optional<int> progress_descriptor;  // set at the role that sees rewards: it writes its progress there
  bool record = false;                     // true: the report also holds every arm or every score
};

// Declares the unlisted options of a role and the config's options.
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
// Each role is this program again, `sotto ... --config FILE --listen-descriptor N`, with a socket that is already
// bound. Two roles therefore never choose one port. The children die with their parent. Keys, configs and reports are
// in a folder that only the user can read. The folder is removed at the end.

// The processes of one run, their private folder, and their progress.
class LocalGroup {
 public:
  LocalGroup(const std::filesystem::path& program, const std::atomic<bool>& interrupted)
      : group_(program, interrupted) {}
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  // `listener` is passed as --listen-descriptor, and a pipe as --progress-descriptor.
  void start(const std::string& name, std::vector<std::string> arguments, Descriptor listener, bool tells_progress);
  // Call it after all processes were started. Throws the errors of ProcessGroup::wait.
  void wait(std::uint64_t steps, const std::function<void(const ProgressState&)>& progress);

 private:
  PrivateFolder folder_;
  ProgressPipe pipe_;
  ProcessGroup group_;  // destroyed, and its processes ended, before the members that it uses
};

struct LocalProcesses {
  // The configs of all roles, without addresses, and without keys unless they have some already. Missing keys and the
  // addresses are filled in. Each role's report is written into the folder of the run.
  std::vector<RoleSettings*> roles;
  std::uint64_t steps = 0;  // number of steps of the run, for the progress
  std::function<bool(const RoleSettings&)> tells_progress;
  bool record = false;               // true: the reports also hold every arm or every score
  std::vector<std::string> flags{};  // flags of all roles, in addition to those of every run
  std::function<void(const std::filesystem::path& folder)> in_folder{};  // called before the first role is started
  std::filesystem::path program = "/proc/self/exe";                      // the executable of each role
};

// Makes the pointers of LocalProcesses::roles from a program's own settings.
template <class S>
[[nodiscard]] std::vector<RoleSettings*> pointers_to(std::vector<S>& roles) {
  std::vector<RoleSettings*> pointers;
  pointers.reserve(roles.size());
  for (S& role : roles) pointers.push_back(&role);
  return pointers;
}

// Runs all roles until they end. `progress` may be empty; it is called from time to time with the state from the role
// that reports progress. `collect` is called once all roles have ended well, while their reports, named in the configs,
// still exist. Links are encrypted with keys made for this run only, unless the run has insecure_plaintext. Throws
// Error with the root cause's exit code and one line that names the role. That role is the one that failed first by
// itself, and not a role that lost a peer because of that failure. Throws Interrupted once `interrupted` is set.
void run_local_processes(const LocalProcesses& processes, const std::function<void(const ProgressState&)>& progress,
                         const std::atomic<bool>& interrupted, const std::function<void()>& collect);

}  // namespace sotto::apps
