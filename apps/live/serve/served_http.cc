#include "apps/live/serve/served_http.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "apps/bandit/model/privacy.h"
#include "apps/bandit/model/program/randomness_account.h"
#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/files/output_file.h"
#include "apps/live/api/problems.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::live {
namespace {

template <class Service>
std::unique_ptr<LiveHttp> http_of(net::Io& io, LiveService& service, const LiveHttpConfig& config, Metrics& metrics) {
  auto* const own = dynamic_cast<Service*>(&service);
  if (own == nullptr) throw std::invalid_argument("the service is of another role than its config");
  return std::make_unique<LiveHttp>(io, *own, config, metrics);
}

}  // namespace

LiveHttpConfig http_config(const LiveConfig& config) {
  LiveHttpConfig result;
  result.http.listen = parse_listen(config.interface_address(), "http.listen");
  if (!config.http_token_file.empty()) result.http.token_file = config.http_token_file;
  if (!config.http_reader_token_file.empty()) result.http.reader_token_file = config.http_reader_token_file;
  if (config.http_tls) result.http.tls = std::make_shared<const net::Identity>(read_role_identity(config));
  result.http.limits.most_connections = config.http_max_connections;
  result.terms = {bandit::used_epsilon(bandit::exploration_of(config.epsilon)),
                  config.live.arms,
                  {config.live.agreement_window, config.live.agreement_epsilon, config.live.agreement_rows_per_subject},
                  bandit::randomness_account(config.preprocessing, config.topology())};
  if (config.live.lift) {
    result.terms.lift = {lift_levels(config.binary_rewards),
                         config.live.arms.at(config.live.baseline_arm.value()),
                         config.live.arms.size(),
                         config.parties,
                         result.terms.epsilon,
                         result.terms.agreement};
  }
  result.binary_rewards = config.binary_rewards;
  if (config.role() != bandit::BanditRole::party) return result;
  result.features = {config.live.schema, config.read_columns(), config.own_norm(), config.read_maker()};
  if (!config.features_url.empty()) result.features_url = parse_http_url(config.features_url, "features.url");
  if (result.features_url && result.features_url->tls) {
    result.features_wrap =
        pinned_tls(read_role_identity(config), config.features_fingerprint, "fingerprint in [features]");
  }
  if (!config.features_table.empty()) result.features_table = config.features_table;
  return result;
}

std::unique_ptr<LiveHttp> serve_http(net::Io& io, const LiveConfig& config, LiveService& service, Metrics& metrics,
                                     const Log& log, StoreBackups* backups) {
  LiveHttpConfig http = http_config(config);
  http.log = [log](LogLevel level, const std::string& line) { log.write(level, line); };
  if (backups != nullptr) {
    http.back_up = [backups](const std::string& name, BackupDone done) { backups->begin(name, std::move(done)); };
  }
  if (log.shows(LogLevel::debug)) {
    http.http.on_answer = [log](const std::string& pattern, unsigned status, double seconds) {
      log.debug(fmt::format("http: {} answers {} after {:.1f} ms", pattern, status, 1000 * seconds));
    };
  }
  switch (config.role()) {
    case bandit::BanditRole::actor:
      return http_of<ActorService>(io, service, http, metrics);
    case bandit::BanditRole::party:
      return http_of<PartyService>(io, service, http, metrics);
    case bandit::BanditRole::rewarder:
      return http_of<RewarderService>(io, service, http, metrics);
    case bandit::BanditRole::dealer:
    case bandit::BanditRole::helper:
    case bandit::BanditRole::owner:
      break;
  }
  return http_of<WitnessService>(io, service, http, metrics);
}

StoreBackups::~StoreBackups() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void StoreBackups::begin(const std::string& name, BackupDone done) {
  if (under_way_) return done(backup_under_way());
  if (thread_.joinable()) thread_.join();
  under_way_ = true;
  thread_ = std::thread([this, into = folder_ / name, done = std::move(done)] {
    std::optional<Problem> problem;
    try {
      make_private_folder(folder_);
      copy_(into, stop_);
    } catch (const InputError& error) {
      problem = backup_refused(error.what());
    } catch (const Interrupted&) {
      problem = problem_of(CallRefusal::ended);
    } catch (const std::exception& error) {
      problem = backup_failed(error.what());
    }
    io_.post([this, done, problem = std::move(problem)] {
      under_way_ = false;
      done(problem);
    });
  });
}

}  // namespace sotto::apps::live
