// `sotto p2b shuffler`: the shuffler's life, from its queue to its report.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/p2b/roles/delivery.h"
#include "sotto/apps/p2b/roles/report_queue.h"
#include "sotto/apps/p2b/roles/role_text.h"
#include "sotto/net/star/client.h"
#include "sotto/net/star/service.h"

namespace sotto::apps {

inline constexpr std::size_t most_staged = 32'768;  // reports, and a message

// Of this process.
struct RefusedReports {
  std::uint64_t repeated = 0;
  std::uint64_t second = 0;
  std::uint64_t bad_code = 0;
  std::uint64_t bad_arm = 0;
  std::uint64_t bad_reward = 0;
  std::uint64_t malformed = 0;  // connections that were dropped over what came on them
  bool operator==(const RefusedReports&) const = default;
};

struct ShufflerSettings {
  std::filesystem::path queue;
  P2bTerms terms;
  std::uint64_t period = 3600;              // seconds: batches close at its multiples
  std::uint64_t most_waiting = 10'000'000;  // reports of a batch
  std::uint64_t periods = 0;                // end with so many ticks, all delivered; 0: never
  std::uint64_t until = 0;                  // reports, then end, for measurements; 0: never
  bool release = false;                     // hear nobody: deliver what waits, at its tick, and end
  BatchClock::Now now = std::chrono::system_clock::now;
  net::ServiceConfig service;               // name and limits are set here
  std::optional<net::ClientConfig> server;  // none: batches wait in the queue
};

// Fields of its report that are for the shuffler alone.
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

struct ShufflerEvents {
  std::function<void(const std::string&)> line;        // for the user
  std::function<void(const net::Address&)> listening;  // where agents connect
  std::function<void(const ClosedBatch&)> batch;
};

// Until the flag is set, which is its ordinary end: what waits stays in the queue, for its tick. Throws InputError
// where the settings cannot be or the queue is of others, ResourceError where its disk or its port fail, and the errors
// of Delivery.
[[nodiscard]] ShufflerReport run_shuffler(ShufflerSettings settings, const ShufflerEvents& events,
                                          const std::atomic<bool>& interrupted);

// One line without its end: "batch of 2026-01-31T10:00:00Z: 100,000 reports, 98,120 released; ...".
[[nodiscard]] std::string batch_text(const ClosedBatch& batch);
[[nodiscard]] std::string summary_text(const ShufflerReport& report, const TextOptions& options);

}  // namespace sotto::apps
