// `sotto p2b shuffler`: the shuffler's life, from its queue to its report.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "apps/p2b/roles/report_queue.h"
#include "apps/p2b/roles/said_lines.h"
#include "apps/p2b/roles/shuffler.h"
#include "net/service/client.h"
#include "net/service/service.h"

namespace sotto::apps {

struct ShufflerSettings {
  std::filesystem::path queue;
  P2bTerms terms;
  std::uint64_t batch_size = 100'000;
  std::uint64_t until = 0;                  // reports, then release what waits and end; 0: never
  bool release = false;                     // hear nobody: release what waits, deliver it and end
  net::ServiceConfig service;               // name and limits are set here
  std::optional<net::ClientConfig> server;  // none: batches wait in the queue
};

struct ShufflerReport {
  P2bTerms terms;
  QueueCounts counts;
  RefusedReports refused;
  std::uint64_t held = 0;  // reports that were to be released, and are fewer than the threshold
  bool insecure_plaintext = false;
};

struct ShufflerEvents {
  std::function<void(const std::string&)> line;        // for the user
  std::function<void(const net::Address&)> listening;  // where agents connect
  std::function<void(const ClosedBatch&)> batch;
};

// Until the flag is set, which is its ordinary end: what waits stays in the queue. Throws InputError
// where the settings cannot be or the queue is of others, ResourceError where its disk or its port
// fail, and the errors of Delivery.
[[nodiscard]] ShufflerReport run_shuffler(ShufflerSettings settings, const ShufflerEvents& events,
                                          const std::atomic<bool>& interrupted);

// One line without its end: "batch 3: 100,000 reports, 98,120 released, ...".
[[nodiscard]] std::string batch_text(const ClosedBatch& batch);
[[nodiscard]] std::string summary_text(const ShufflerReport& report, bool colour);
[[nodiscard]] nlohmann::ordered_json to_json(const ShufflerReport& report);

}  // namespace sotto::apps
