// A ROBIN run as one machine sees it that has all the clients: launches the roles, lets the twins play, and puts
// everything together.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sotto/apps/kit/process/progress.h"
#include "sotto/apps/robin/instance.h"
#include "sotto/apps/robin/result.h"
#include "sotto/apps/robin/settings.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {

// What a user of `sotto robin` asks for.
struct RobinOptions {
  RobinSettings settings;  // as the flags have them
  bool horizon_given = false;
  std::vector<std::filesystem::path> files;  // of logged clients; empty: simulated
  double deadline_seconds = 600;
  bool twins = true;
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;
  std::filesystem::path out;
  bool overwrite = false;  // what a run has finished there
  bool json = false;
};

// Who plays what.
struct RobinInputs {
  RobinSettings settings;  // resolved()
  std::shared_ptr<const RobinInstance> instance;
  bool has_means = true;  // of logged data: regret is that of means
};

// Reads the files, or makes the simulated instance. InputError that names the flag or file:line for what cannot be run.
[[nodiscard]] RobinInputs read_robin_inputs(const RobinOptions& options);

// --deadline; InputError unless it is above 0 and at most a week.
void check_deadline(double seconds);

struct LocalRobinRun {
  RobinResult result;  // of a run that failed too: with what it had spent by then
  // Why it failed or was refused; the result has the same line.
  std::optional<Error> error;
};

// Decides first: a run that is refused starts no process. `progress` may be empty. Throws what keeps the run from
// starting.
[[nodiscard]] LocalRobinRun run_local_robin(const RobinOptions& options, const RobinInputs& inputs,
                                            const std::function<void(const ProgressState&)>& progress,
                                            const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
