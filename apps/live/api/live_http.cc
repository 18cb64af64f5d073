#include "apps/live/api/live_http.h"

#include <utility>

#include "apps/live/api/live_routes.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

std::function<void(const std::string&)> warner(const LiveHttpConfig& config) {
  return [log = config.log](const std::string& line) { log(LogLevel::warning, line); };
}

}  // namespace

template <class Service>
void LiveHttp::serve(net::Io& io, Service& service, const LiveHttpConfig& config, Metrics& metrics) {
  HttpConfig http = config.http;
  http.metrics = &metrics;
  http.on_failure = [log = config.log](const std::string& pattern, const std::string& error) {
    log(LogLevel::warning, "http: " + pattern + " failed: " + printable(error));
  };
  server_ = std::make_unique<HttpServer>(io, std::move(http), live_routes(service, context_, metrics));
}

void LiveHttp::find_features(net::Io& io, PartyService& service, const LiveHttpConfig& config, Metrics& metrics) {
  if (config.features_url && config.features_table) {
    throw InputError("features", "url and table exclude each other");
  }
  if (config.features_url) {
    pull_ = std::make_unique<FeaturePull>(
        io, service, context_, PullConfig{*config.features_url, config.features_wrap, warner(config)}, metrics);
  }
  if (config.features_table) {
    take_from_table(io, service, context_,
                    std::make_shared<const AlignedTable>(*config.features_table, config.features), metrics);
  }
}

namespace {

SharedContext context_of(const LiveHttpConfig& config) {
  ApiContext context;
  context.clocks.server = config.http.now;
  context.back_up = config.back_up;
  context.log = config.log;
  context.terms = config.terms;
  context.binary_rewards = config.binary_rewards;
  context.features = config.features;
  return std::make_shared<ApiContext>(std::move(context));
}

}  // namespace

LiveHttp::LiveHttp(net::Io& io, ActorService& service, const LiveHttpConfig& config, Metrics& metrics)
    : context_(context_of(config)) {
  serve(io, service, config, metrics);
}

LiveHttp::LiveHttp(net::Io& io, PartyService& service, const LiveHttpConfig& config, Metrics& metrics)
    : context_(context_of(config)) {
  if (config.features.maker) context_->drift.report_to(config.features.maker->recipe(), warner(config), metrics);
  find_features(io, service, config, metrics);
  serve(io, service, config, metrics);
}

LiveHttp::LiveHttp(net::Io& io, RewarderService& service, const LiveHttpConfig& config, Metrics& metrics)
    : context_(context_of(config)) {
  serve(io, service, config, metrics);
}

LiveHttp::LiveHttp(net::Io& io, WitnessService& service, const LiveHttpConfig& config, Metrics& metrics)
    : context_(context_of(config)) {
  serve(io, service, config, metrics);
}

}  // namespace sotto::apps::live
