// The functions that run the roles of a ROBIN run: each function takes settings and returns a report.
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

// The reports of the processes of a ROBIN run: the aggregator reports its releases and the budget, and a process of
// clients reports their rewards and regret. The reports are JSON files that are written under another name and then
// renamed. Only the launcher of a local run merges the reports: in a run between companies, nobody sees another
// company's report.

// The status of a run that has not ended, or whose aggregator was killed.
inline constexpr const char* running_robin = "running";

struct RobinAggregatorReport {
  RoleCost cost;  // `role` is "aggregator"; `bytes_sent` is the size of the payloads of messages
  std::vector<std::string> insecure;
  RobinDecision decision;
  std::vector<Release> releases;               // `clipped` is exact and must not be published
  std::vector<std::vector<double>> estimates;  // the broadcast estimates, one for each release
  std::string status = running_robin;          // or "complete", "failed", "refused"
  std::string version;                         // version of sotto
  std::uint64_t clients = 0;
  double epsilon = 0;  // the run promises epsilon and delta; delta is 0 with basic composition
  double delta = 0;
  std::string composition;
  double epsilon_spent = 0;
  double delta_spent = 0;
  double rho_spent = 0;
  double aggregation_seconds = 0;    // time for all releases, without waiting
  std::optional<std::string> error;  // the error of a failed run, in one line

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
  RoleCost cost;  // `role` is "client 3" or "clients 0 to 49999"
  std::uint64_t first = 0;
  std::uint64_t clients = 0;
  std::vector<PhaseReport> phases;  // sums over the clients, without estimates
  double play_seconds = 0;          // without waiting

  static void describe(auto& self, auto&& field) {
    RoleCost::describe(self.cost, field);
    field("first", self.first);
    field("clients", self.clients);
    field("phases", self.phases);
    field("play_seconds", self.play_seconds);
  }
};

// The aggregator of a ROBIN run, from its terms to its report. The aggregator waits for all clients. In each round, the
// aggregator receives the clients' local estimates and releases the private estimate. At the end, the aggregator
// reports the spent budget.
//
// The aggregator is trusted (central differential privacy): it sees the local estimates of every client. Only three
// things leave the aggregator: the broadcast estimate of each release, the spent budget, and one line if an error
// occurs. The aggregator's report has the broadcast estimates, the spent budget, the error and some counts.
//
// Before the run has begun, a client that does not fit the run is refused, receives one line with the reason and may
// try again. Once the run has begun, a client that leaves, sends nothing until the deadline or breaks the protocol ends
// the run for all clients. A missing estimate is never replaced: a release without all estimates is not made and costs
// nothing. The budget of earlier releases stays spent.

// The name of the service that clients connect to.
inline constexpr const char* robin_service_name = "robin aggregator";

struct RobinAggregatorOptions {
  RobinTerms terms;
  net::ServiceConfig service;      // the address to listen on and the trusted clients
  std::size_t most_a_process = 1;  // the number of clients that one process may play
  std::optional<std::uint64_t> insecure_seed;
  std::filesystem::path report;  // empty: none
  // Receives lines for the people who run the aggregator; may be empty.
  std::function<void(const std::string&)> say;
};

// The aggregator writes its report before each broadcast and at the end, even if the run fails. The aggregator notifies
// the clients before it throws an error. Throws
//   InputError         settings that cannot be run, or that ROBIN refuses (the line says why); a report
//                      or key that cannot be used
//   NetworkError       a client that never joined, never reported, or was lost
//   ProtocolError      a client that sent a forbidden message
//   ResourceError      a port that is taken
//   Interrupted        `interrupted` was set
[[nodiscard]] RobinAggregatorReport run_robin_aggregator(const RobinAggregatorOptions& options,
                                                         const std::atomic<bool>& interrupted);

// A process of clients of a ROBIN run: it joins the aggregator, plays, and sends the local estimates of each release.
// After each broadcast, the process plays with the new estimate.
//
// The process has one client with its own data, or many clients of a simulation. Only local estimates leave the
// process, and only to the aggregator whose certificate the user named. The rewards and the regret of the process's
// clients are in its own report.

struct RobinClientOptions {
  net::ClientConfig connection;              // connection to the trusted aggregator
  std::uint64_t number = 0;                  // number of the first client
  std::size_t simulated = 0;                 // number of simulated clients; 0 if there are files
  std::vector<std::filesystem::path> files;  // one file for each logged client
  // The weakest promise that these clients accept; they do not join a run with a larger epsilon or delta. If the
  // members are empty, the clients accept any promise of the aggregator.
  std::optional<double> most_epsilon;
  std::optional<double> most_delta;
  std::optional<int> progress_descriptor;
  std::filesystem::path report;  // empty: none
  // Receives lines for the people who run the clients; may be empty.
  std::function<void(const std::string&)> say;
};

// Throws
//   InputError         a file that cannot be read, or a number that no run has
//   DisagreementError  the aggregator plays another run, or its run promises less than this role requires
//   NetworkError, TrustError, ProtocolError, Interrupted  as documented in net/star/client.h
//   Error              the error that ended the run at the aggregator, with its exit code:
//                      "the aggregator reports: ..."
[[nodiscard]] RobinClientReport run_robin_client(const RobinClientOptions& options,
                                                 const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::robin
