// A ROBIN run as one machine sees it that has all the clients: launches the roles, lets the twins play, and puts
// everything together.
//
// Every role is a process of its own on loopback: the aggregator, and a process a client
// where there are few, else a process a core that plays many each.
//
// The processes are this program again: `sotto robin aggregator`, `sotto robin client`. Keys are made for the run and
// live, with the reports, in a folder that only the user can read and that is removed at the end. The clients' regret
// and rewards come from their own reports: the aggregator sees their estimates and nothing else.
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

// So many clients at most have a process each.
inline constexpr std::size_t most_robin_processes = 8;

// The clients of each process, in order: [first, first + count).
struct ClientRange {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ClientRange&, const ClientRange&) = default;
};
[[nodiscard]] std::vector<ClientRange> client_processes(std::size_t clients, std::size_t cores);

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

}  // namespace sotto::apps::robin
