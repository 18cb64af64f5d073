// `sotto p2b agent`: plays the interactions of some users, each with a model of its own, and reports at most one of
// them a user.
//
// An agent asks the shuffler for the terms, and, where it is told of a server, that for its model (warm; without one,
// cold). Each user then plays all of its interactions in the order of t: LinUCB on the code of the context, alpha 1.
// After the last, a coin of the operating system with probability p decides whether one of them is reported, and
// another one which, each alike, whatever its reward. Contexts and all other interactions stay here. The shuffler sees
// a token of the user.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/p2b/model.h"
#include "sotto/apps/p2b/roles/reporter.h"
#include "sotto/apps/p2b/roles/role_text.h"
#include "sotto/net/star/client.h"

namespace sotto::apps {

struct AgentSettings {
  std::filesystem::path users;  // columns user, t, features, reward_0..
  std::filesystem::path encoder;
  ContextKind contexts = ContextKind::one_hot;  // of a cold model; a warm one says it itself
  std::optional<double> p;                      // must be the shuffler's
  std::filesystem::path tuples;                 // what was reported, for the users; empty: none
  net::ClientConfig shuffler;                   // names and limits are set here
  std::optional<net::ClientConfig> server;
  ReporterSettings reporter;
};

struct AgentReport : P2bReport {
  using P2bReport::P2bReport;

  ContextKind contexts = ContextKind::one_hot;
  bool warm = false;
  std::uint64_t model_updates = 0;  // tuples in the model that users began with
  std::uint64_t users = 0;
  std::uint64_t interactions = 0;
  double average_reward = 0;
  std::uint64_t rewards_clipped = 0;
  std::uint64_t features_clipped = 0;
  ReportTotals reports;

  static void describe(auto& self, auto&& field) {
    P2bReport::describe(self, field);
    field("users", self.users);
    field("interactions", self.interactions);
    field("average_reward", self.average_reward);
    field.derived("contexts", context_kind_name(self.contexts));
    field("warm", self.warm);
    field("model_updates", self.model_updates);
    field("sent", self.reports.sent);
    field("taken", self.reports.taken);
    field("refused_invalid", self.reports.invalid);
    field("reconnected", self.reports.reconnected);
    field("rewards_clipped", self.rewards_clipped);
    field("features_clipped", self.features_clipped);
  }
};

// Throws InputError where a file is not as it must be, DisagreementError where shuffler, server, encoder and users do
// not fit together, and the errors of Reporter.
[[nodiscard]] AgentReport run_agent(AgentSettings settings, const std::atomic<bool>& interrupted);

[[nodiscard]] std::string summary_text(const AgentReport& report, const TextOptions& options);

}  // namespace sotto::apps
