// The processes of roles, and a run of all roles on one machine.
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

struct RoleExtras {
  std::optional<int> listen_descriptor;    // bound socket that replaces the config's address
  std::optional<int> progress_descriptor;  // set for the role that sees rewards
  bool record = false;                     // the report includes arms or scores
};

void add_role_options(Command& command, ConfigArguments& arguments, RoleExtras& extras,
                      const std::vector<Setting>& settings);

class RoleProgress {
 public:
  RoleProgress(const RoleExtras& extras, std::uint64_t total_steps);
  void write(std::uint64_t step, double average, std::uint64_t rounds);

 private:
  std::uint64_t total_steps_;
  ProgressWriter writer_;
  ProgressLine line_;
};

[[nodiscard]] net::DriverOptions driver_options(const RoleSettings& config, const std::atomic<bool>& interrupted);

void warn_of_insecure(const RoleHeader& report);

// The folder contains the keys, configs and reports, and only the user can read the folder.
class LocalGroup {
 public:
  LocalGroup(const std::filesystem::path& program, const std::atomic<bool>& interrupted)
      : group_(program, interrupted) {}
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  void start(const std::string& name, std::vector<std::string> arguments, Descriptor listener, bool tells_progress);
  // To be called after all processes were started.
  void wait(std::uint64_t steps, const std::function<void(const ProgressState&)>& progress);

 private:
  PrivateFolder folder_;
  ProgressPipe pipe_;
  ProcessGroup group_;  // destroyed first, which ends the processes
};

struct LocalProcesses {
  // The configs of all roles. The configs must contain no addresses, and need not name keys.
  std::vector<RoleSettings*> roles;
  std::uint64_t steps = 0;  // of the run
  std::function<bool(const RoleSettings&)> tells_progress;
  bool record = false;
  std::vector<std::string> flags{};
  std::function<void(const std::filesystem::path& folder)> in_folder{};  // called before the first role starts
  std::filesystem::path program = "/proc/self/exe";
};

template <class S>
[[nodiscard]] std::vector<RoleSettings*> pointers_to(std::vector<S>& roles) {
  std::vector<RoleSettings*> pointers;
  pointers.reserve(roles.size());
  for (S& role : roles) pointers.push_back(&role);
  return pointers;
}

// `collect` is called while the reports of the roles still exist. Keys for TLS are made for this run only. Throws Error
// with the exit code and one line of the role that failed first. Throws Interrupted once `interrupted` is set.
void run_local_processes(const LocalProcesses& processes, const std::function<void(const ProgressState&)>& progress,
                         const std::atomic<bool>& interrupted, const std::function<void()>& collect);

}  // namespace sotto::apps
