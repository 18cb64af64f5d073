// What the processes of roles that play in rounds have alike beside their config.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/kit/process/progress.h"
#include "apps/kit/report/run_header.h"
#include "apps/kit/settings/config_options.h"
#include "sotto/protocol/mesh/driver/options.h"

namespace sotto::apps {

// What a launcher hands to a role (apps/kit/deploy/local_processes.h).
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

}  // namespace sotto::apps
