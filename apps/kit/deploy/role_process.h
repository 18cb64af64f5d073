// What the processes of roles that play in rounds have alike beside their config.
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

// What a launcher hands to a role.
struct RoleExtras {
  std::optional<int> listen_descriptor;    // a bound socket to listen on, instead of the address
  std::optional<int> progress_descriptor;  // the role that sees rewards tells its progress there
  bool record = false;                     // its report then holds every arm, or every score
};

// Declares them, unlisted, and the config's options.
void add_role_options(Command& command, ConfigArguments& arguments, RoleExtras& extras,
                      const std::vector<Setting>& settings);

// Progress to the launcher, or without one on a terminal.
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

// On stdout: a line for each switch for tests that was set.
void warn_of_insecure(const RoleHeader& report);

// All roles of a run as processes of this machine, on loopback.
//
// Each role is this program again, `sotto ... --config FILE --listen-descriptor N`, with a socket that is bound
// already: no port is chosen twice. The children die with their parent. Keys, configs and reports live in a folder that
// only the user can read and that is removed at the end.

// The processes of one run, a folder for them that only the user can read, and how far they are.
class LocalGroup {
 public:
  LocalGroup(const std::filesystem::path& program, const std::atomic<bool>& interrupted)
      : group_(program, interrupted) {}
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  // `listener` is handed over as --listen-descriptor, and a pipe as --progress-descriptor.
  void start(const std::string& name, std::vector<std::string> arguments, Descriptor listener, bool tells_progress);
  // Once all are started. Errors as of ProcessGroup::wait.
  void wait(std::uint64_t steps, const std::function<void(const ProgressState&)>& progress);

 private:
  PrivateFolder folder_;
  ProgressPipe pipe_;
  ProcessGroup group_;  // ended before what it uses
};

struct LocalProcesses {
  // Of all roles, without addresses, and without keys unless they have some already; both are filled in. A report of
  // each is made in the folder of the run.
  std::vector<RoleSettings*> roles;
  std::uint64_t steps = 0;  // of the run, for its progress
  std::function<bool(const RoleSettings&)> tells_progress;
  bool record = false;               // its report then holds every arm, or every score
  std::vector<std::string> flags{};  // of all roles, beside those that every run has
  std::function<void(const std::filesystem::path& folder)> in_folder{};  // before the first is started
  std::filesystem::path program = "/proc/self/exe";                      // what each role runs
};

// For LocalProcesses::roles.
template <class S>
[[nodiscard]] std::vector<RoleSettings*> pointers_to(std::vector<S>& roles) {
  std::vector<RoleSettings*> pointers;
  pointers.reserve(roles.size());
  for (S& role : roles) pointers.push_back(&role);
  return pointers;
}

// Runs them to their end. `progress` is called now and then with what the role says that tells it, and may be empty;
// `collect` once all have ended well, while their reports, named in
// the configs, are still there. Links are encrypted under keys made for this run alone, unless it has
// insecure_plaintext. Throws Error with the root cause's exit code and one line that names the role: the one that
// failed first by itself, not those that lost a peer because of it; Interrupted once `interrupted` is set.
void run_local_processes(const LocalProcesses& processes, const std::function<void(const ProgressState&)>& progress,
                         const std::atomic<bool>& interrupted, const std::function<void()>& collect);

}  // namespace sotto::apps
