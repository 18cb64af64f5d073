#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "apps/kit/files/output_file.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/settings/config_options.h"
#include "apps/live/archive/archived_rows.h"
#include "apps/live/archive/decided_log.h"
#include "apps/live/command/commands.h"
#include "apps/live/config/live_config.h"
#include "apps/live/rows/live_store.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

struct ArchiveArguments {
  ConfigArguments config;
  std::filesystem::path events;
  std::filesystem::path rewards;
  std::uint64_t since = 0;
  std::filesystem::path out;
  bool overwrite = false;
};

std::string shown(const std::filesystem::path& file) { return terminal_safe(file.string()); }

void write_log(const LiveConfig& config, const ArchiveArguments& arguments) {
  if (arguments.rewards.empty() || !arguments.events.empty()) {
    throw InputError("--rewards",
                     "the actor needs a file of rewards, with the columns event and reward, and no --events");
  }
  if (config.epsilon <= 0) {
    throw InputError("run.epsilon",
                     "is 0: the service explores nothing, so its log says nothing of arms that it did not play");
  }
  check_out_folder(arguments.out, {"log.csv", "events.csv"}, arguments.overwrite);
  const EventRewards rewards = read_rewards(arguments.rewards);
  LiveStore store(config.state, live_identity(config), live_key(config));
  const DecidedLog log = decided_log(config.live, config.epsilon, store, rewards, arguments.since);
  if (log.count == 0) {
    throw InputError(
        config.state.string(),
        "the actor has no event of the time since [service] has `archive`, whose arm the service chose and "
        "whose rewards are closed");
  }
  make_run_directory(arguments.out);
  write_files(std::vector<NewFile>{{arguments.out / "log.csv", log.log}, {arguments.out / "events.csv", log.events}});
  fmt::print("log       {} ({})\nevents    {}: give it to each party, for `sotto archive --events`\n",
             shown(arguments.out / "log.csv"), counted(log.count, "event"), shown(arguments.out / "events.csv"));
  if (log.without_reward > 0) {
    fmt::print("rewards   {} had none and {}\n", counted(log.without_reward, "event"),
               config.live.default_reward ? fmt::format("got default_reward, {}", *config.live.default_reward)
                                          : std::string("were left out"));
  }
  if (log.other_rewards > 0) {
    fmt::print("rewards   {} of the file are of events that are not in the log\n", log.other_rewards);
  }
}

[[noreturn]] void refuse_missing(const LiveConfig& config, const std::filesystem::path& file, std::size_t missing,
                                 std::size_t events) {
  const std::string why =
      config.live.archive == 0
          ? std::string("[service] has no `archive`, so the parties keep no rows of what is decided")
          : fmt::format(
                "it keeps rows for {} after their decision, and none from mode apprentice or from before "
                "`archive` was set. Ask the actor for a log that begins later (`sotto archive --since`)",
                live_span_text(config.live.archive));
  throw InputError(file.string(), fmt::format("{} has no archived row for {} of these {}: {}", config.display_name(),
                                              missing, counted(events, "event"), why));
}

void write_party(const LiveConfig& config, const ArchiveArguments& arguments) {
  if (arguments.events.empty() || !arguments.rewards.empty() || arguments.since > 0) {
    throw InputError("--events", "a party needs the file events.csv of the actor, and neither --rewards nor --since");
  }
  check_out_folder(arguments.out, {"rows.csv"}, arguments.overwrite);
  const std::vector<EventId> events = read_events(arguments.events);
  LiveStore store(config.state, live_identity(config), live_key(config));
  FeatureValues defaults;
  std::vector<std::string> columns;
  for (const FeatureColumn& column : config.read_columns()) {
    defaults.push_back(column.missing);
    columns.push_back(column.name);
  }
  const ArchivedRows rows = archived_rows(defaults, store, events);
  if (rows.missing > 0) refuse_missing(config, arguments.events, rows.missing, events.size());
  const std::filesystem::path file = write_rows(rows, columns, events, arguments.out);
  fmt::print("rows      {} ({}, with this party's shares of the best arms)\n", shown(file),
             counted(events.size(), "event"));
  if (rows.without_features > 0) {
    fmt::print("features  {} were decided with the default row\n", counted(rows.without_features, "event"));
  }
  if (rows.subjects.empty()) {
    fmt::print("subjects  none is known: the account takes each event for another person\n");
  }
}

void write_archive(const Keys& keys, const ArchiveArguments& arguments) {
  const EffectiveConfig effective = effective_config(keys, arguments.config);
  const auto* const config = dynamic_cast<const LiveConfig*>(effective.config.get());
  if (config == nullptr) throw InputError(arguments.config.file.string(), "is no config of the decision service");
  if (config->role() == bandit::BanditRole::actor) return write_log(*config, arguments);
  if (config->role() == bandit::BanditRole::party) return write_party(*config, arguments);
  throw InputError("--config",
                   fmt::format("only the actor and the parties have archives, and this is {}", config->display_name()));
}

}  // namespace

void add_archive_command(Command& app, const Keys& keys) {
  Command* command =
      app.add_subcommand("archive", "Write what a decision service decided as the files of an evaluation");
  const auto arguments = std::make_shared<ArchiveArguments>();
  add_config_options(*command, arguments->config, live_program().settings);
  command->add_option("--rewards", arguments->rewards, "At the actor: CSV with the columns event and reward")
      ->type_name("FILE");
  command
      ->add_option("--since", arguments->since,
                   "At the actor: leave out what was decided before this time, in ms since 1970")
      ->number(whole());
  command->add_option("--events", arguments->events, "At a party: the file events.csv that the actor has written")
      ->type_name("FILE");
  command->add_option("--out", arguments->out, "Folder of the files")->required()->type_name("DIR");
  add_overwrite(*command, arguments->overwrite);
  command->footer(
      "The service must have `archive` in [service]. The role must not run: --state names a backup of a role that\n"
      "runs (POST /v1/backups). The actor goes first, and each party then writes the rows of the actor's events.\n"
      "Examples:\n"
      "  sotto archive --config actor/config.toml --rewards rewards.csv --out log\n"
      "  sotto archive --config party_0/config.toml --events log/events.csv --out rows");
  command->callback([&keys, arguments] { write_archive(keys, *arguments); });
}

}  // namespace sotto::apps::live
