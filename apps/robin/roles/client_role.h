// A process of clients of a ROBIN run: joins the aggregator, plays, sends the local estimates of each release, plays on
// with what comes back.
//
// One client with its own data, or many of a simulation. Only local estimates leave it, and only to the aggregator
// whose certificate it was told to trust. What its clients earned and missed is in its own report.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/robin/role_report.h"
#include "sotto/net/star/client.h"

namespace sotto::apps {

struct RobinClientOptions {
  net::ClientConfig connection;              // to the aggregator that it was told to trust
  std::uint64_t number = 0;                  // of the first client
  std::size_t simulated = 0;                 // clients, without files
  std::vector<std::filesystem::path> files;  // a client each
  // The weakest promise that these clients accept; a run with a larger epsilon or delta is not joined. Empty: whatever
  // the aggregator says.
  std::optional<double> most_epsilon;
  std::optional<double> most_delta;
  std::optional<int> progress_descriptor;
  std::filesystem::path report;  // empty: none
  // Lines for the people who run it; may be empty.
  std::function<void(const std::string&)> say;
};

// Throws
//   InputError         a file that cannot be read, or a number that no run has
//   DisagreementError  the aggregator's run is another one, or it promises less than is asked for
//   NetworkError, TrustError, ProtocolError, Interrupted
//                      as net/star/client.h has them
//   Error              what the aggregator says that ended the run, with its exit code:
//                      "the aggregator reports: ..."
[[nodiscard]] RobinClientReport run_robin_client(const RobinClientOptions& options,
                                                 const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
