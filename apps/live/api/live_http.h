// A role's HTTP interface in the role's process: the server with the role's routes. At a party also the source of
// features that nobody pushed. Make it after the service and before the service starts. Destroy it before the service.
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
  HttpConfig http;  // metrics and on_failure of this config are set here
  DecisionTerms terms;
  bool binary_rewards = false;  // at the rewarder: rewards are only 0 or 1
  // For a party: its features, and where it asks for them. Set at most one of the url and the table.
  FeatureSchema features{};
  std::optional<HttpUrl> features_url{};
  WrapStream features_wrap{};  // makes the TLS stream of an https url
  std::optional<std::filesystem::path> features_table{};
  // The same as ApiContext::log.
  std::function<void(LogLevel level, const std::string& line)> log = [](LogLevel, const std::string&) {};
  std::function<void(const std::string& name, BackupDone done)> back_up{};
};

class LiveHttp {
 public:
  // All references must outlive this object. Throws as HttpServer does. Throws InputError for a table that cannot be
  // used, or if both a table and a feature service are set.
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
