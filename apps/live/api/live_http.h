// A role's HTTP interface in the role's process. At a party, the interface also fetches features that no client sent.
// Make this object after the service and before the service starts. Destroy this object before the service.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/kit/http/server.h"
#include "apps/live/api/feature_pull.h"

namespace sotto::apps::live {

struct LiveHttpConfig {
  HttpConfig http;  // the constructor of LiveHttp sets `http.metrics` and `http.on_failure`
  DecisionTerms terms;
  bool binary_rewards = false;
  // Set at most one of `features_url` and `features_table`.
  FeatureSchema features{};
  std::optional<HttpUrl> features_url{};
  WrapStream features_wrap{};
  std::optional<std::filesystem::path> features_table{};
  std::function<void(LogLevel level, const std::string& line)> log = [](LogLevel, const std::string&) {};
  std::function<void(const std::string& name, BackupDone done)> back_up{};
};

class LiveHttp {
 public:
  // All arguments that are references must outlive this object. Throws what the constructor of HttpServer throws.
  // Throws InputError if the table cannot be used, or if both a table and a feature service are set.
  LiveHttp(net::Io& io, ActorService& service, const LiveHttpConfig& config, Metrics& metrics);
  LiveHttp(net::Io& io, PartyService& service, const LiveHttpConfig& config, Metrics& metrics);
  LiveHttp(net::Io& io, RewarderService& service, const LiveHttpConfig& config, Metrics& metrics);
  LiveHttp(net::Io& io, WitnessService& service, const LiveHttpConfig& config, Metrics& metrics);

  [[nodiscard]] HttpServer& server() noexcept { return *server_; }

 private:
  template <class Service>
  void serve(net::Io& io, Service& service, const LiveHttpConfig& config, Metrics& metrics);
  void find_features(net::Io& io, PartyService& service, const LiveHttpConfig& config, Metrics& metrics);

  SharedContext context_;
  std::unique_ptr<FeaturePull> pull_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace sotto::apps::live
