// A ROBIN run on one machine that has all the clients: this file launches the roles, plays the twins, and merges the
// results.
//
// Every role is a process of its own on loopback: the aggregator, and one process for each client. With many clients,
// there is one process for each core, and each process plays many clients.
//
// The processes run this program again: `sotto robin aggregator`, `sotto robin client`. New keys are made for each run.
// Keys and reports are in a folder that only the user can read and that is removed at the end. The regret and the
// rewards come from the clients' own reports, because the aggregator sees only the clients' estimates.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "apps/kit/process/progress.h"
#include "apps/robin/instance.h"
#include "apps/robin/result.h"
#include "apps/robin/settings.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {

// With at most this many clients, each client has its own process.
inline constexpr std::size_t most_robin_processes = 8;

// The clients of each process, in order: [first, first + count).
struct ClientRange {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ClientRange&, const ClientRange&) = default;
};
[[nodiscard]] std::vector<ClientRange> client_processes(std::size_t clients, std::size_t cores);

// The options of `sotto robin`.
struct RobinOptions {
  RobinSettings settings;  // settings as the flags give them
  bool horizon_given = false;
  std::vector<std::filesystem::path> files;  // files of logged clients; empty: the clients are simulated
  double deadline_seconds = 600;
  bool twins = true;
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;
  std::filesystem::path out;
  bool overwrite = false;  // whether to replace the results of a finished run in the output folder
  bool json = false;
};

// The clients' environment and the settings.
struct RobinInputs {
  RobinSettings settings;  // resolved()
  std::shared_ptr<const RobinInstance> instance;
  bool has_means = true;  // whether logged data have means, from which regret is computed
};

// Reads the files, or makes the simulated instance. Throws InputError that names the flag or file:line if the run is
// impossible.
[[nodiscard]] RobinInputs read_robin_inputs(const RobinOptions& options);

// Checks --deadline. Throws InputError unless the deadline is above 0 and at most a week.
void check_deadline(double seconds);

struct LocalRobinRun {
  RobinResult result;  // also for a failed run, with the budget that the run spent
  // The reason for a failure or a refusal; `result` contains the same text.
  std::optional<Error> error;
};

// Runs all roles. A run that decide() refuses starts no process. `progress` may be empty. Throws if the run cannot
// start.
[[nodiscard]] LocalRobinRun run_local_robin(const RobinOptions& options, const RobinInputs& inputs,
                                            const std::function<void(const ProgressState&)>& progress,
                                            const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::robin
