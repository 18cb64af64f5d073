// The aggregator of a ROBIN run, from its terms to its report: waits for all clients, takes their local estimates,
// releases the private one, again and again, and says what was spent.
//
// It is trusted (central differential privacy): it sees the local estimates of every client. What leaves it is the
// broadcast estimate of each release, the budget spent, and one line where something goes wrong. Its report has these
// and counts.
//
// Before the run has begun, whoever does not fit is refused with one line and may come again. From then on, a client
// that leaves, that says nothing until the deadline or that breaks the protocol ends the run for all: an estimate that
// never came is never made up, and the release of which it was to be a part does not happen and costs nothing. What was
// spent before stays spent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sotto/apps/robin/role_report.h"
#include "sotto/apps/robin/roles/terms.h"
#include "sotto/net/star/service.h"

namespace sotto::apps {

// As clients ask for it.
inline constexpr const char* robin_service_name = "robin aggregator";

struct RobinAggregatorOptions {
  RobinTerms terms;
  net::ServiceConfig service;      // where it listens and whom it trusts
  std::size_t most_a_process = 1;  // clients that one process may play
  std::optional<std::uint64_t> insecure_seed;
  std::filesystem::path report;  // empty: none
  // Lines for the people who run it; may be empty.
  std::function<void(const std::string&)> say;
};

// Writes the report before each broadcast and at the end, of a run that failed as well. Throws
//   InputError         settings that cannot be run, or that ROBIN refuses (why, in the line); a report
//                      or key that cannot be used
//   NetworkError       a client that never joined, never reported, or was lost
//   ProtocolError      a client that sent what it may not
//   ResourceError      a port that is taken
//   Interrupted
// Clients have been told by then.
[[nodiscard]] RobinAggregatorReport run_robin_aggregator(const RobinAggregatorOptions& options,
                                                         const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
