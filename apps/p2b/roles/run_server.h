// `sotto p2b server`: the server's life, from its store to its report.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/p2b/model.h"
#include "sotto/apps/p2b/roles/role_text.h"
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

struct ServerReport : P2bReport {
  using P2bReport::P2bReport;

  ContextKind contexts = ContextKind::one_hot;
  std::uint64_t tuples = 0;
  std::uint64_t batches = 0;
  std::uint64_t repeated_parts = 0;  // of this process
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

}  // namespace sotto::apps
