// `sotto p2b server`: the server's life, from its store to its report.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/p2b/model.h"
#include "sotto/apps/p2b/roles/terms.h"
#include "sotto/net/star/service.h"

namespace sotto::apps {

struct ServerSettings {
  std::filesystem::path store;
  P2bTerms terms;
  ContextKind contexts = ContextKind::one_hot;
  std::filesystem::path encoder;  // empty: one-hot codes need none
  std::filesystem::path model;    // written after each batch and at the end; empty: none
  std::uint64_t until = 0;        // batches, then end; 0: never
  net::ServiceConfig service;     // `trusted` are the shufflers; name and limits are set here
};

struct ServerReport {
  P2bTerms terms;
  ContextKind contexts = ContextKind::one_hot;
  std::uint64_t tuples = 0;
  std::uint64_t batches = 0;
  std::uint64_t repeated_parts = 0;  // of this process
  std::uint64_t models_given = 0;
  std::filesystem::path model;
  bool insecure_plaintext = false;
};

struct ServerEvents {
  std::function<void(const std::string&)> line;
  std::function<void(const net::Address&)> listening;
  // After a batch: how many are whole, and how many tuples there are.
  std::function<void(std::uint64_t batches, std::uint64_t tuples)> batch;
};

// Until the flag is set, which is its ordinary end. Throws InputError where the settings cannot be or the store or the
// encoder is another one, ResourceError where its disk or its port fail.
[[nodiscard]] ServerReport run_server(ServerSettings settings, const ServerEvents& events,
                                      const std::atomic<bool>& interrupted);

[[nodiscard]] std::string summary_text(const ServerReport& report, const TextOptions& options);
[[nodiscard]] nlohmann::ordered_json to_json(const ServerReport& report);

}  // namespace sotto::apps
