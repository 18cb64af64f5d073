// The roles of a ROBIN run, each from its settings to its report.
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

// What the processes of a ROBIN run report: the aggregator of its releases and the budget, a process of clients of what
// these earned. JSON files, written by rename. Only the launcher of a local run puts them together: between companies
// nobody sees another's.

// The status of a run that has not ended, or whose aggregator was killed.
inline constexpr const char* running_robin = "running";

struct RobinAggregatorReport {
  RoleCost cost;  // role: "aggregator"; bytes_sent: payloads of messages
  std::vector<std::string> insecure;
  RobinDecision decision;
  std::vector<Release> releases;               // `clipped` is exact: not to be published
  std::vector<std::vector<double>> estimates;  // broadcast, one a release
  std::string status = running_robin;          // or "complete", "failed", "refused"
  std::string version;                         // of sotto
  std::uint64_t clients = 0;
  double epsilon = 0;  // that the run promises, and with which delta: 0 with basic composition
  double delta = 0;
  std::string composition;
  double epsilon_spent = 0;
  double delta_spent = 0;
  double rho_spent = 0;
  double aggregation_seconds = 0;    // of all releases, waiting not included
  std::optional<std::string> error;  // of a run that failed: one line

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
  RoleCost cost;  // role: "client 3", "clients 0 to 49999"
  std::uint64_t first = 0;
  std::uint64_t clients = 0;
  std::vector<PhaseReport> phases;  // sums over the clients; without estimates
  double play_seconds = 0;          // waiting not included

  static void describe(auto& self, auto&& field) {
    RoleCost::describe(self.cost, field);
    field("first", self.first);
    field("clients", self.clients);
    field("phases", self.phases);
    field("play_seconds", self.play_seconds);
  }
};

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

// A process of clients of a ROBIN run: joins the aggregator, plays, sends the local estimates of each release, plays on
// with what comes back.
//
// One client with its own data, or many of a simulation. Only local estimates leave it, and only to the aggregator
// whose certificate it was told to trust. What its clients earned and missed is in its own report.

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

}  // namespace sotto::apps::robin
