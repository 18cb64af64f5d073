// What the processes of a ROBIN run report: the aggregator of its releases and the budget, a process of clients of what
// these earned. JSON files, written by rename. Only the launcher of a local run puts them together: between companies
// nobody sees another's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/run_header.h"
#include "sotto/apps/robin/aggregator.h"
#include "sotto/apps/robin/client_pool.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
