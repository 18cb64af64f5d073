// A ROBIN run on one machine that has all the clients. This file launches the roles, plays the twins, and merges the
// results.
//
// Every role is a process of its own on loopback: the aggregator, and one process for each client. With many clients,
// there is one process for each core, and each process plays many clients. Keys and reports are in a folder that only
// the user can read. The run removes this folder at its end.
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

inline constexpr std::size_t most_robin_processes = 8;

struct ClientRange {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ClientRange&, const ClientRange&) = default;
};
[[nodiscard]] std::vector<ClientRange> client_processes(std::size_t clients, std::size_t cores);

struct RobinOptions {
  RobinSettings settings;
  bool horizon_given = false;
  std::vector<std::filesystem::path> files;  // empty if the clients are simulated
  double deadline_seconds = 600;
  bool twins = true;
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;
  std::filesystem::path out;
  bool overwrite = false;
  bool json = false;
};

struct RobinInputs {
  RobinSettings settings;  // as resolved() returns them
  std::shared_ptr<const RobinInstance> instance;
  bool has_means = true;
};

// Throws InputError, which names the flag or file:line, if the run is impossible.
[[nodiscard]] RobinInputs read_robin_inputs(const RobinOptions& options);

// Throws InputError unless the deadline is above 0 and at most a week.
void check_deadline(double seconds);

struct LocalRobinRun {
  RobinResult result;  // also for a failed run, with the budget that the run spent
  std::optional<Error> error;
};

// If decide() refuses a run, this function starts no process.
[[nodiscard]] LocalRobinRun run_local_robin(const RobinOptions& options, const RobinInputs& inputs,
                                            const std::function<void(const ProgressState&)>& progress,
                                            const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::robin
