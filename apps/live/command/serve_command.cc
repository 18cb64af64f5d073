#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/deploy/role_mesh.h"
#include "apps/kit/deploy/role_process.h"
#include "apps/kit/process/service_manager.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/say.h"
#include "apps/live/api/api_context.h"
#include "apps/live/api/dashboard.h"
#include "apps/live/command/commands.h"
#include "apps/live/import/model_share.h"
#include "apps/live/order/agreement.h"
#include "apps/live/serve/role_log.h"
#include "apps/live/serve/served_http.h"
#include "apps/live/serve/served_role.h"
#include "core/text/count.h"
#include "net/transport/tls/key_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

struct ServeArguments {
  ConfigArguments config;
  RoleExtras extras;
  bool accept_rollback = false;
  std::optional<OrderNumber> from_snapshot;
  bool rebuild = false;
  std::vector<std::string> accept_rebuild;
  std::filesystem::path from;
  std::filesystem::path backup;
  std::filesystem::path old_key;
  std::filesystem::path export_share;
  std::optional<OrderNumber> of;
  std::string log_level = name_of(LogLevel::info);
};

constexpr std::chrono::milliseconds look_every{100};
// When the role ends, it waits at most this long until its last answers are sent.
constexpr std::chrono::milliseconds stop_within{2'000};

class ShownStatus {
 public:
  ShownStatus(const Log& log, const ServiceManager& manager) : log_(log), manager_(manager) {}

  void show(const LiveStatus& status) {
    show_number(status);
    const std::string line = line_of(status);
    if (line == last_) return;
    last_ = line;
    log_.write(status.readiness == Readiness::ready ? LogLevel::info : LogLevel::warning, line);
    manager_.status(line);
  }

 private:
  static std::string line_of(const LiveStatus& status) {
    if (status.readiness != Readiness::ready) return fmt::format("{} is not ready: {}", status.role, status.why);
    return fmt::format("{} is ready in epoch {}", status.role, status.epoch);
  }
  void show_number(const LiveStatus& status) {
    if (status.number == number_) return;
    number_ = status.number;
    log_.debug(fmt::format("{} is at number {}, with a model of number {}", status.role, status.number, status.model));
  }

  const Log& log_;
  const ServiceManager& manager_;
  std::string last_;
  OrderNumber number_ = 0;
};

// If the read fails, the old token stays valid.
void read_token_again(HttpServer& server, const Log& log) {
  try {
    server.read_token_again();
    log.info("the token is read again");
  } catch (const InputError& error) {
    log.warning(error.what());
  }
}

std::string trusted_for(const LiveConfig& config, const std::string& role) {
  const auto next = config.next_trust.find(role);
  return config.trust.at(role) + (next == config.next_trust.end() ? "" : " and " + next->second);
}

// If the read fails, nothing changes.
void read_trust_again(const Keys& keys, const ConfigArguments& arguments, ServedRole& role, LiveConfig& config,
                      const Log& log) {
  if (config.insecure_plaintext) return;
  try {
    const EffectiveConfig effective = effective_config(keys, arguments);
    const auto* const read = dynamic_cast<const LiveConfig*>(effective.config.get());
    if (read == nullptr) throw InputError(arguments.file.string(), "is of another program now");
    LiveConfig changed = config;
    changed.trust = read->trust;
    changed.next_trust = read->next_trust;
    if (to_toml(changed) != to_toml(*read)) {
      log.warning(
          "the config has changed in more than [trust] and [next_trust]: the rest holds once the role is started "
          "again");
    }
    (void)read_role_identity(changed);
    for (const std::string& peer : role_names(changed)) {
      if (trusted_for(changed, peer) == trusted_for(config, peer)) continue;
      log.info(
          fmt::format("{} trusts {} for {}, from the next epoch on", config.name(), trusted_for(changed, peer), peer));
    }
    role.trust(changed);
    config = changed;
  } catch (const Error& error) {
    log.warning(fmt::format("the config is not read again: {}", error.what()));
  }
}

void log_recovery_request(const std::string& role, const ServeExtras& extras, const Log& log) {
  const auto say = [&](bool is_so, const std::string& flag) {
    if (is_so) log.warning(fmt::format("{} is started with {}", role, flag));
  };
  const RecoveryRequest& recovery_request = extras.recovery_request;
  say(recovery_request.go_back, fmt::format("--from-snapshot {}", recovery_request.snapshot));
  say(recovery_request.rebuild, "--rebuild");
  say(recovery_request.accept_actor, "--accept-rebuild actor");
  say(recovery_request.accept_rewarder, "--accept-rebuild rewarder");
  say(extras.accept_rollback, "--accept-rollback");
}

void require(bool fits, const char* flag, const LiveConfig& config, const char* whose) {
  if (!fits) throw InputError(flag, fmt::format("is for {}, and this is {}", whose, config.display_name()));
}

RecoveryRequest recovery_request_of(const LiveConfig& config, const ServeArguments& arguments) {
  const bandit::BanditRole role = config.role();
  const bool is_witness = role == bandit::BanditRole::dealer || role == bandit::BanditRole::helper;
  require(!arguments.accept_rollback || is_witness, "--accept-rollback", config, "the dealer or the helper");
  require(!arguments.from_snapshot || role == bandit::BanditRole::party, "--from-snapshot", config, "the parties");
  require(!arguments.rebuild || role == bandit::BanditRole::actor || role == bandit::BanditRole::rewarder, "--rebuild",
          config, "the actor or the rewarder");
  require(arguments.accept_rebuild.empty() || !is_witness, "--accept-rebuild", config, "parties, actor and rewarder");
  require(arguments.from.empty() || role == bandit::BanditRole::party, "--from", config, "the parties");
  RecoveryRequest recovery_request;
  recovery_request.go_back = arguments.from_snapshot.has_value();
  recovery_request.snapshot = arguments.from_snapshot.value_or(0);
  recovery_request.rebuild = arguments.rebuild;
  for (const std::string& lost : arguments.accept_rebuild) {
    if (lost != "actor" && lost != "rewarder") {
      throw InputError("--accept-rebuild", fmt::format("expected actor or rewarder, not '{}'", lost));
    }
    (lost == "actor" ? recovery_request.accept_actor : recovery_request.accept_rewarder) = true;
  }
  return recovery_request;
}

std::shared_ptr<const RoleSettings> earlier_config(const Keys& keys, const std::filesystem::path& given) {
  if (given.empty()) return nullptr;
  ConfigArguments arguments;
  arguments.file = std::filesystem::is_directory(given) ? given / "config.toml" : given;
  arguments.ignore_variables = true;
  return effective_config(keys, arguments).config;
}

void serve(const Keys& keys, const bandit::ReadRunModel& read_run, LiveConfig config, const ServeArguments& arguments,
           std::shared_ptr<const RoleSettings> from) {
  const Log log(log_level_of(arguments.log_level).value_or(LogLevel::info));
  ServiceManager manager = ServiceManager::of_environment();
  ServeExtras extras;
  extras.listen_descriptor = arguments.extras.listen_descriptor;
  extras.accept_rollback = arguments.accept_rollback;
  extras.recovery_request = recovery_request_of(config, arguments);
  extras.from = std::move(from);
  extras.read_run = read_run;
  net::Io io;
  Metrics metrics;
  extras.observer = observer_into(metrics);
  extras.report = [log](const std::string& line) { log.info(line); };
  extras.warn = [log](const std::string& line) { log.warning(line); };
  log_recovery_request(config.name(), extras, log);
  ServedRole role(config, io, std::move(extras));
  std::optional<StoreBackups> backups;
  if (!config.http_backups.empty()) {
    backups.emplace(io, config.http_backups, [&role](const std::filesystem::path& into, const std::atomic<bool>& stop) {
      role.back_up(into, stop);
    });
  }
  const auto http = serve_http(io, config, role.service(), metrics, log, backups ? &*backups : nullptr);
  for (const std::string& danger : insecure_options(config)) log.warning("INSECURE: " + danger);
  if (const std::string weak = weak_agreement_text(config.live.agreement_epsilon); !weak.empty()) {
    log.warning("WEAK: " + weak);
  }
  log.info(fmt::format("{} answers at {}", config.name(), http->server().address()));
  std::atomic<bool>& reload = catch_reload();
  role.start();
  // The role reports that it is ready before its peers are connected, because the service manager cannot know when the
  // roles of other organisations run.
  manager.ready();
  ShownStatus shown(log, manager);
  RoleLog acts([log](LogLevel level, const std::string& line) { log.write(level, line); });
  // The first status is read before any link is set up, so that the log shows what the opening of an epoch changes.
  acts.show(role.service().status(), ApiClocks{}.role_now());
  while (!interrupted()) {
    io.run_for(look_every);
    const LiveStatus status = role.service().status();
    shown.show(status);
    acts.show(status, ApiClocks{}.role_now());
    manager.alive(ServiceManager::Clock::now());
    if (reload.exchange(false)) {
      read_token_again(http->server(), log);
      read_trust_again(keys, arguments.config, role, config, log);
    }
  }
  manager.stopping();
  http->server().stop(stop_within);
  role.stop();
  while (!http->server().stopped()) io.run_for(look_every);
  io.poll();
  const LiveStatus status = role.service().status();
  log.info(fmt::format("{} ends after number {} ({})", status.role, status.number,
                       hex(std::span(status.checkpoint).first(4))));
}

void export_share(const LiveConfig& config, const ServeArguments& arguments) {
  require(config.role() == bandit::BanditRole::party, "--export-share", config, "the parties");
  const ModelShare share = read_model_share(config, arguments.of);
  const std::vector<std::byte> bytes = encode(share);
  constexpr unsigned of_owner = 0600;
  net::write_new_file(arguments.export_share, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, of_owner);
  fmt::print(
      "{}: its share of the copy under number {}, of {}, is in {}\n"
      "Whoever has the files of all {} parties has the model: `sotto model` puts it together.\n",
      config.name(), share.copy.number, counted(share.copy.learned, "event"), arguments.export_share.string(),
      share.parties);
}

void run_serve(const Keys& keys, const bandit::ReadRunModel& read_run, const ServeArguments& arguments) {
  catch_interrupts();
  const EffectiveConfig effective = effective_config(keys, arguments.config);
  const auto* const config = dynamic_cast<const LiveConfig*>(effective.config.get());
  if (config == nullptr) {
    throw InputError(arguments.config.file.string(),
                     fmt::format("this is the config of a run of {}, not of the decision service; run `sotto {} "
                                 "--config ...`",
                                 effective.config->program().name, fmt::join(effective.config->command(), " ")));
  }
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(effective));
    return;
  }
  if (!arguments.backup.empty()) {
    back_up_store(*config, arguments.backup);
    fmt::print("{}: the store is copied to {}\n", config->name(), arguments.backup.string());
    return;
  }
  if (arguments.of && arguments.export_share.empty()) throw InputError("--of", "is for --export-share alone");
  if (!arguments.export_share.empty()) return export_share(*config, arguments);
  if (!arguments.old_key.empty()) {
    const bool changed = change_store_key(*config, arguments.old_key);
    fmt::print("{}: the store {} sealed with the key of {}\n", config->name(), changed ? "is now" : "was already",
               config->key.string());
    return;
  }
  serve(keys, read_run, *config, arguments, earlier_config(keys, arguments.from));
}

}  // namespace

void add_serve_command(Command& app, const Keys& keys, bandit::ReadRunModel read_run) {
  Command* command = app.add_subcommand("serve", "Run one role of the decision service, for months");
  const auto arguments = std::make_shared<ServeArguments>();
  add_role_options(*command, arguments->config, arguments->extras, live_program().settings);
  command->add_flag(
      "--accept-rollback", arguments->accept_rollback,
      "At the dealer or the helper: open the service though all other roles have come back with old copies");
  command
      ->add_option("--from-snapshot", arguments->from_snapshot,
                   "At every party: go back to the copy of the model that was made at this number; 0: begin with a new "
                   "model")
      ->number(whole());
  command->add_flag("--rebuild", arguments->rebuild,
                    "At the actor or the rewarder, whose store is lost: continue with what the parties know");
  command->add_option("--accept-rebuild", arguments->accept_rebuild,
                      "At the parties and the other of the two: actor or rewarder, whose store is lost");
  command->add_option("--from", arguments->from,
                      "At every party of a new service: its config of the earlier service, or run of `sotto bandit`, "
                      "whose model this one begins from, or the folder of that");
  command->add_option("--backup", arguments->backup,
                      "Copy the store of a role that does not run to a new folder, and end; one that runs does it "
                      "itself (POST /v1/backups)");
  command->add_option("--export-share", arguments->export_share,
                      "At every party that allows it: write its share of a copy of the model into a new file, and end; "
                      "--state names a backup where the role runs");
  command->add_option("--of", arguments->of, "The number of that copy (default: the newest)")->number(whole());
  command->add_option("--old-key", arguments->old_key,
                      "Seal the store, which was sealed with this private key, with the config's, and end");
  std::vector<std::string> levels;
  levels.reserve(all_log_levels.size());
  for (const LogLevel level : all_log_levels) levels.emplace_back(name_of(level));
  command->add_option("--log-level", arguments->log_level, "The least grave lines of the log on stderr")
      ->shows_default()
      ->one_of(std::move(levels));
  command->footer(
      "It runs until it is interrupted. After a restart it continues where it was, whatever broke.\n"
      "Examples:\n"
      "  sotto init --live --parties 2 --set service.arms=a,b --set service.baseline_arm=a --set "
      "service.reward_wait=1h --out shop\n"
      "  sotto serve --config shop/actor/config.toml\n"
      "docs/guides/live.md has the service, docs/guides/running-roles.md all keys.");
  command->callback([&keys, arguments, read_run = std::move(read_run)] { run_serve(keys, read_run, *arguments); });
}

}  // namespace sotto::apps::live
