// The functions that run the roles of P2B.
//
// The agent plays all interactions of each user in the order of t, by LinUCB with alpha 1 on the code of the context.
// After a user's last interaction, the agent decides by a random draw of the operating system whether the user reports,
// with probability p. A second draw picks the reported interaction uniformly, independently of its reward. Contexts and
// all interactions that are not reported stay at the agent. The shuffler sees the report and a token of the user.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/report/human.h"
#include "apps/kit/report/run_header.h"
#include "apps/p2b/model.h"
#include "apps/p2b/roles/report_queue.h"
#include "apps/p2b/roles/senders.h"
#include "net/star/client.h"
#include "net/star/service.h"

namespace sotto::apps::p2b {

struct P2bReport : RoleHeader {
  P2bReport() = default;
  P2bReport(const std::string& name, const P2bTerms& agreed, bool plaintext);

  P2bTerms terms;

  static void describe(auto& self, auto&& field) {
    P2bTerms::describe(self.terms, field);
    RoleHeader::describe(self, field);
  }
};

[[nodiscard]] std::string grouped(std::uint64_t count);

[[nodiscard]] std::string grouped(std::uint64_t count, std::string_view singular);

void add_privacy(SummaryLines& out, const P2bTerms& terms);

inline constexpr std::size_t most_staged = 32'768;

struct RefusedReports {
  std::uint64_t repeated = 0;
  std::uint64_t second = 0;
  std::uint64_t bad_code = 0;
  std::uint64_t bad_arm = 0;
  std::uint64_t bad_reward = 0;
  std::uint64_t malformed = 0;
  bool operator==(const RefusedReports&) const = default;
};

struct ShufflerSettings {
  std::filesystem::path queue;
  P2bTerms terms;
  std::uint64_t period = 3600;  // number of seconds; batches close at multiples of the period
  std::uint64_t most_waiting = 10'000'000;
  std::uint64_t periods = 0;  // the role ends after this many ticks and after delivery of all parts; 0: it does not end
  std::uint64_t until = 0;    // the role ends after this many reports, for measurements; 0: it does not end
  bool release = false;       // the role accepts no clients, delivers waiting reports at their tick, and ends
  BatchClock::Now now = std::chrono::system_clock::now;
  net::ServiceConfig service;
  std::optional<net::ClientConfig> server;  // empty: closed batches wait in the queue
};

// Returns the names of the fields of the report that only the shuffler may see.
[[nodiscard]] std::vector<std::string> shuffler_secrets();

struct ShufflerReport : P2bReport {
  using P2bReport::P2bReport;

  QueueCounts counts;
  RefusedReports refused;

  static void describe(auto& self, auto&& field) {
    P2bReport::describe(self, field);
    field("received", self.counts.reports);
    field("kept", self.counts.kept);
    field("dropped", self.counts.dropped);
    field("codes_dropped", self.counts.codes_dropped);
    field("batches", self.counts.batches);
    field("waiting", self.counts.waiting);
    field("undelivered_parts", self.counts.parts_to_deliver);
    field("repeated", self.refused.repeated);
    field("refused_second", self.refused.second);
    field("refused_code", self.refused.bad_code);
    field("refused_arm", self.refused.bad_arm);
    field("refused_reward", self.refused.bad_reward);
    field("dropped_connections", self.refused.malformed);
    field.derived("not_to_publish", shuffler_secrets());
  }
};

template <class... Batch>
struct RoleEvents {
  std::function<void(const std::string&)> line;
  std::function<void(const net::Address&)> listening;
  std::function<void(Batch...)> batch;
};
using ShufflerEvents = RoleEvents<const ClosedBatch&>;

// Runs a shuffler until `interrupted` is set, which is the normal end. Waiting reports stay in the queue until their
// tick. Throws InputError if the settings are impossible or the queue has other terms or another key. Throws
// ResourceError if the disk or the port fails, and the errors of Delivery.
[[nodiscard]] ShufflerReport run_shuffler(ShufflerSettings settings, const ShufflerEvents& events,
                                          const std::atomic<bool>& interrupted);

[[nodiscard]] std::string batch_text(const ClosedBatch& batch);
[[nodiscard]] std::string summary_text(const ShufflerReport& report, const TextOptions& options);

struct ServerSettings {
  std::filesystem::path store;
  P2bTerms terms;
  ContextKind contexts = ContextKind::one_hot;
  std::filesystem::path encoder;
  std::filesystem::path model;  // file that the server writes after each batch and at the end; empty: no file
  std::uint64_t until = 0;      // the server ends after this many batches; 0: it does not end
  net::ServiceConfig service;   // `trusted` names the shufflers
};

struct ServerReport : P2bReport {
  using P2bReport::P2bReport;

  ContextKind contexts = ContextKind::one_hot;
  std::uint64_t tuples = 0;
  std::uint64_t batches = 0;
  std::uint64_t repeated_parts = 0;
  std::uint64_t models_given = 0;
  std::filesystem::path model;

  static void describe(auto& self, auto&& field) {
    P2bReport::describe(self, field);
    field.derived("contexts", context_kind_name(self.contexts));
    field("tuples", self.tuples);
    field("batches", self.batches);
    field("repeated_parts", self.repeated_parts);
    field("models_given", self.models_given);
    field.derived("model", self.model.string());
  }
};

// `batch` is called with the number of complete batches and the number of tuples.
using ServerEvents = RoleEvents<std::uint64_t, std::uint64_t>;

// Runs a server until `interrupted` is set, which is the normal end. Throws InputError if the settings are impossible,
// or if the store or the encoder does not fit the settings. Throws ResourceError if the disk or the port fails.
[[nodiscard]] ServerReport run_server(ServerSettings settings, const ServerEvents& events,
                                      const std::atomic<bool>& interrupted);

[[nodiscard]] std::string summary_text(const ServerReport& report, const TextOptions& options);

struct AgentSettings {
  std::filesystem::path users;
  std::filesystem::path encoder;
  ContextKind contexts = ContextKind::one_hot;  // used only if no server sends a model
  std::optional<double> p;                      // if set, must equal the shuffler's p
  std::filesystem::path tuples;                 // file for the reported tuples, for the users; empty: no file
  net::ClientConfig shuffler;
  std::optional<net::ClientConfig> server;
  ReporterSettings reporter;
};

struct AgentReport : P2bReport {
  using P2bReport::P2bReport;

  ContextKind contexts = ContextKind::one_hot;
  bool warm = false;
  std::uint64_t model_updates = 0;
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

// Throws InputError if a file is invalid, and the errors of Reporter. Throws DisagreementError if the settings of
// shuffler, server, encoder and users do not agree.
[[nodiscard]] AgentReport run_agent(AgentSettings settings, const std::atomic<bool>& interrupted);

[[nodiscard]] std::string summary_text(const AgentReport& report, const TextOptions& options);

}  // namespace sotto::apps::p2b
