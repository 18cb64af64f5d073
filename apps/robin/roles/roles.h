// The functions that run the roles of a ROBIN run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/report/run_header.h"
#include "apps/robin/aggregator.h"
#include "apps/robin/client_pool.h"
#include "apps/robin/roles/messages.h"
#include "net/star/client.h"
#include "net/star/service.h"

namespace sotto::apps::robin {

// Each role writes its report, a JSON file, under a temporary name and then renames it. In a run between companies,
// nobody sees another company's report.

// The status of a run that has not ended, or whose aggregator was killed.
inline constexpr const char* running_robin = "running";

struct RobinAggregatorReport {
  RoleCost cost;  // `bytes_sent` counts only the payloads of messages
  std::vector<std::string> insecure;
  RobinDecision decision;
  std::vector<Release> releases;  // `clipped` is exact and must not be published
  std::vector<std::vector<double>> estimates;
  std::string status = running_robin;  // or "complete", "failed" or "refused"
  std::string version;
  std::uint64_t clients = 0;
  double epsilon = 0;  // epsilon that the run promises; delta is 0 with basic composition
  double delta = 0;
  std::string composition;
  double epsilon_spent = 0;
  double delta_spent = 0;
  double rho_spent = 0;
  double aggregation_seconds = 0;  // waiting not included
  std::optional<std::string> error;

  static void describe(auto& self, auto&& field) {
    RoleCost::describe(self.cost, field);
    field("insecure", self.insecure);
    field("mode", self.decision.mode);
    field.derived("refused", self.decision.mode == RobinMode::refused);
    field("misfire", self.decision.misfire);
    field("why", self.decision.why);
    field("releases", self.releases);
    field("estimates", self.estimates);
    field("status", self.status);
    field("version", self.version);
    field("clients", self.clients);
    field("epsilon", self.epsilon);
    field("delta", self.delta);
    field("composition", self.composition);
    field("eps_spent", self.epsilon_spent);
    field("delta_spent", self.delta_spent);
    field("rho_spent", self.rho_spent);
    field("aggregation_seconds", self.aggregation_seconds);
    field.unless_empty("error", self.error);
  }
};

struct RobinClientReport {
  RoleCost cost;
  std::uint64_t first = 0;
  std::uint64_t clients = 0;
  std::vector<PhaseReport> phases;
  double play_seconds = 0;  // waiting not included

  static void describe(auto& self, auto&& field) {
    RoleCost::describe(self.cost, field);
    field("first", self.first);
    field("clients", self.clients);
    field("phases", self.phases);
    field("play_seconds", self.play_seconds);
  }
};

inline constexpr const char* robin_service_name = "robin aggregator";

// The aggregator of a ROBIN run.
//
// The clients trust the aggregator (central differential privacy): it sees the local estimates of every client. Only
// three things leave the aggregator: the broadcast estimate of each release, the spent budget, and one line of text if
// an error occurs.
//
// Before the run begins, the aggregator refuses a client that does not fit the run, and the client may try again. After
// the run has begun, a client that leaves, misses the deadline or breaks the protocol ends the run for all clients. The
// aggregator never replaces a missing estimate: if an estimate is missing, it makes no release and spends nothing on
// it. The budget of earlier releases stays spent.
struct RobinAggregatorOptions {
  RobinTerms terms;
  net::ServiceConfig service;
  std::size_t most_a_process = 1;
  std::optional<std::uint64_t> insecure_seed;
  std::filesystem::path report;  // empty: no report
  // May be empty.
  std::function<void(const std::string&)> say;
};

// The aggregator writes its report before each broadcast and at the end, even if the run fails. The aggregator notifies
// the clients before it throws an error. Throws
//   InputError         the settings are impossible, or ROBIN refuses them (the message says why); a report
//                      or key cannot be used
//   NetworkError       a client never joined, never reported, or was lost
//   ProtocolError      a client sent a forbidden message
//   ResourceError      the port is in use
//   Interrupted        `interrupted` was set
[[nodiscard]] RobinAggregatorReport run_robin_aggregator(const RobinAggregatorOptions& options,
                                                         const std::atomic<bool>& interrupted);

// A process that plays clients of a ROBIN run. Only local estimates leave the process, and only to the aggregator whose
// certificate the user named.
struct RobinClientOptions {
  net::ClientConfig connection;
  std::uint64_t number = 0;
  std::size_t simulated = 0;  // 0 if there are files
  std::vector<std::filesystem::path> files;
  // These clients refuse a run with a larger epsilon or delta. If empty, the clients accept any promise.
  std::optional<double> most_epsilon;
  std::optional<double> most_delta;
  std::optional<int> progress_descriptor;
  std::filesystem::path report;  // empty: no report
  // May be empty.
  std::function<void(const std::string&)> say;
};

// Throws
//   InputError         a file cannot be read, or no run has a client with this number
//   DisagreementError  the aggregator plays another run, or its run promises less privacy than this role requires
//   NetworkError, TrustError, ProtocolError, Interrupted  as documented in net/star/client.h
//   Error              the error that ended the run at the aggregator, with its exit code:
//                      "the aggregator reports: ..."
[[nodiscard]] RobinClientReport run_robin_client(const RobinClientOptions& options,
                                                 const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::robin
