// `sotto p2b shuffler`: the shuffler's life, from its queue to its report.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/p2b/roles/report_queue.h"
#include "sotto/apps/p2b/roles/said_lines.h"
#include "sotto/apps/p2b/roles/shuffler.h"
#include "sotto/net/star/client.h"
#include "sotto/net/star/service.h"

namespace sotto::apps {

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

struct ShufflerReport {
  P2bTerms terms;
  QueueCounts counts;
  RefusedReports refused;
  bool insecure_plaintext = false;
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
// `not_to_publish` names the fields of it that are for the shuffler alone.
[[nodiscard]] nlohmann::ordered_json to_json(const ShufflerReport& report);

}  // namespace sotto::apps
