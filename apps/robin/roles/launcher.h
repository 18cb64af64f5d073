// Runs a ROBIN run on this machine, every role a process of its own on loopback: the aggregator, and a process a client
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
#include <optional>
#include <vector>

#include "sotto/apps/kit/process/progress.h"
#include "sotto/apps/robin/roles/messages.h"
#include "sotto/apps/robin/roles/roles.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {

// So many clients at most have a process each.
inline constexpr std::size_t most_robin_processes = 8;

struct LocalRobin {
  RobinTerms terms;
  std::vector<std::filesystem::path> files;  // of logged clients, by number; empty: simulated
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;
  std::filesystem::path program = "/proc/self/exe";  // what each role runs
};

// The clients of each process, in order: [first, first + count).
struct ClientRange {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ClientRange&, const ClientRange&) = default;
};
[[nodiscard]] std::vector<ClientRange> client_processes(std::size_t clients, std::size_t cores);

struct LocalRobinOutcome {
  // Also of a run that failed, where the aggregator lived to say what was spent.
  std::optional<RobinAggregatorReport> aggregator;
  std::vector<RobinClientReport> clients;  // of a run that ended well
  double wall_seconds = 0;                 // all processes, from the first's start to the last's end
  // The root cause: one line that names the role, and its exit code.
  std::optional<Error> error;
};

// `progress` is called now and then, and may be empty. Throws what keeps the run from starting; what goes wrong
// afterwards, Ctrl-C too, is in the outcome.
[[nodiscard]] LocalRobinOutcome launch_local_robin(const LocalRobin& local,
                                                   const std::function<void(const ProgressState&)>& progress,
                                                   const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
