#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "apps/kit/deploy/commands.h"
#include "apps/kit/deploy/deployment.h"
#include "apps/kit/program/command.h"
#include "apps/kit/settings/command_config.h"
#include "apps/kit/settings/config_options.h"
#include "apps/kit/settings/role_settings.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

struct InitArguments {
  std::string protocol;
  bool live = false;
  std::map<std::string, std::string> given;
  std::vector<std::string> hosts;
  std::vector<std::string> assignments;
  std::filesystem::path out = "sotto-roles";
};

bool is_offered(const Setting& setting) { return setting.table == "run" && !setting.of_owner; }

// Returns the names of the tables that all roles share. Users set values in these tables with --set.
std::vector<std::string> shared_tables(const Program& program) {
  std::vector<std::string> names;
  for (const ConfigTable& table : program.tables) {
    if (!table.own) names.push_back(table.name);
  }
  return names;
}

void lay_over_shared(const Keys& keys, const Program& program, const std::vector<std::string>& assignments,
                     ConfigDocument& document) {
  const std::vector<std::string> tables = shared_tables(program);
  ConfigOverlay overlay;
  for (const std::string& assignment : assignments) {
    overlay.flags.push_back(setting_of_assignment(keys, assignment));
    const std::string& table = overlay.flags.back().key.table;
    if (std::find(tables.begin(), tables.end(), table) != tables.end()) continue;
    throw InputError(
        "--set", tables.empty() ? fmt::format("is of configs of services; settings of {} are flags here", program.name)
                                : fmt::format("takes keys of [{}] here; others are flags, or in each role's own config",
                                              fmt::join(tables, "], [")));
  }
  lay_over(document, overlay);
  for (const Setting& setting : program.settings) {
    const bool shared = std::find(tables.begin(), tables.end(), setting.table) != tables.end();
    if (!shared || !setting.required || document.find(setting.table, setting.name) != nullptr) continue;
    throw InputError("--set " + setting.path(), "is required: " + setting.expected);
  }
}

std::unique_ptr<RoleSettings> planned_run(const Keys& keys, const Program& program, const InitArguments& arguments) {
  ConfigDocument document;
  document.keys = &keys;
  document.program = &program;
  ConfigOverlay overlay;
  for (const Setting& setting : keys.all()) {
    if (!is_offered(setting)) continue;
    Setting flag = setting;
    flag.flag = setting.run_flag();
    const Setting* const own = program.find(setting.table, setting.name);
    const auto given = arguments.given.find(flag.flag);
    if (given != arguments.given.end()) {
      if (own == nullptr) {
        throw InputError(flag.flag, fmt::format("runs of {} have no such setting (--protocol)", program.name));
      }
      overlay.flags.push_back(setting_of_flag(flag, given->second));
    } else if (own != nullptr && !own->initial.empty()) {
      overlay.flags.push_back(setting_of_flag(flag, own->initial));
    } else if (own != nullptr && own->required) {
      throw InputError(flag.flag, "is required: " + own->expected);
    }
  }
  lay_over(document, overlay);
  lay_over_shared(keys, program, arguments.assignments, document);
  document.tables["run"]["session"] = ConfigValue{fresh_session(), {}};
  std::unique_ptr<RoleSettings> run = program.make();
  std::vector<std::string> tables = shared_tables(program);
  tables.insert(tables.begin(), "run");
  read_settings(document, *run, tables);
  return run;
}

// The result does not name the key file.
std::string inputs_of(const RoleSettings& role) {
  std::string files;
  for (const ConfigLine& line : config_lines(role)) {
    if (!line.setting->is_input || line.setting->name == "key") continue;
    files += (files.empty() ? "" : ", ") + line.value.substr(1, line.value.size() - 2);
  }
  return files;
}

void tell_next_steps(const InitArguments& arguments, const RoleSet& roles) {
  std::vector<std::string> commands;
  for (const auto& role : roles) {
    const auto own = role->peers.find(role->role_key());
    fmt::print("{:<21} {}  {}\n", role->name(),
               terminal_safe((arguments.out / role->role_key() / "config.toml").string()),
               own == role->peers.end() ? "connects only" : own->second);
    const bool is_own = role->program().executable != "sotto";
    const std::string command = is_own ? role->started_by() : fmt::format("{}", fmt::join(role->command(), " "));
    if (std::find(commands.begin(), commands.end(), command) == commands.end()) commands.push_back(command);
  }
  fmt::print("\n{}; all roles must have this alike.\n", roles.front()->in_short());
  const std::string words = fmt::format("{}", fmt::join(commands, "|"));
  const bool own = roles.front()->program().executable != "sotto";
  const std::string start = fmt::format("{}{} --config config.toml", own ? "" : "sotto ", words);
  if (roles.front()->insecure_shared_keys) {
    fmt::print("INSECURE: the keys of all roles were made here. Results will say so.\nPut into the folders:\n");
    for (const auto& role : roles) {
      const std::string files = inputs_of(*role);
      if (!files.empty()) fmt::print("  {:<21} {}\n", role->name(), files);
    }
    fmt::print("then start every role, as its README.txt says: {}\n", start);
    return;
  }
  fmt::print(
      "Give each folder only to the person who runs its role. There:\n"
      "  1. make the key            sotto keys new\n"
      "  2. tell each other         sotto keys show, by a channel that you trust\n"
      "  3. trust all roles         sotto keys trust\n"
      "  4. try names and ports     sotto doctor --config config.toml\n"
      "  5. start                   {}\n"
      "README.txt in each folder has this in full.\n",
      start);
}

void write_service_configs(Command& app, const InitArguments& arguments) {
  if (!arguments.given.empty() || !arguments.hosts.empty()) {
    throw InputError(
        arguments.given.empty() ? "--host" : arguments.given.begin()->first,
        fmt::format("roles of {} have no such setting: give theirs with --set table.key=value", arguments.protocol));
  }
  const auto roles = command_roles(app);
  std::vector<const Program*> programs;
  for (const auto& role : roles) {
    if (role->program().command.front() == arguments.protocol) programs.push_back(&role->program());
  }
  const Keys keys(programs);
  std::vector<GivenSetting> given;
  for (const std::string& assignment : arguments.assignments) given.push_back(setting_of_assignment(keys, assignment));
  std::map<std::string, std::string> texts;
  for (const auto& role : roles) {
    if (keys.names(role->table()).empty()) continue;
    ConfigOverlay overlay;
    for (const GivenSetting& one : given) {
      if (one.key.table == role->table()) overlay.flags.push_back(one);
    }
    (void)fill_from(*role, "", "", overlay);
    texts[role->table()] = commented_config(*role);
  }
  write_configs(texts, arguments.out);
  for (const auto& role : roles) {
    if (!texts.contains(role->table())) continue;
    fmt::print("{}  start it with `sotto {} --config config.toml`\n",
               terminal_safe((arguments.out / role->table() / "config.toml").string()), role->name());
  }
  fmt::print(
      "\nGive each folder to the person who runs its role, who fills in the rest, makes the key with `sotto keys "
      "new` and tries it with `sotto doctor --config config.toml`.\n");
}

void run_init(Command& app, const Keys& keys, const InitArguments& arguments) {
  const Program* program = nullptr;
  for (const Program* one : keys.programs()) {
    if (arguments.protocol == one->word) program = one;
  }
  if (program == nullptr) return write_service_configs(app, arguments);
  const std::unique_ptr<RoleSettings> planned = planned_run(keys, *program, arguments);
  std::map<std::string, std::string> hosts;
  for (const std::string& host : arguments.hosts) add_host(*program, host, hosts);
  const RoleSet roles = plan_deployment(*planned, hosts);
  write_deployment(roles, arguments.out);
  tell_next_steps(arguments, roles);
}

std::string help_of(const Setting& setting, const Keys& keys) {
  std::string help = setting.help;
  std::string expected;
  for (const Program* program : keys.programs()) {
    const Setting* const own = program->find(setting.table, setting.name);
    if (own == nullptr || setting.kind == ValueKind::choice || own->expected == expected) continue;
    if (!expected.empty()) {
      help += fmt::format("; of {} {}", program->name, own->expected);
      continue;
    }
    expected = own->expected;
    const auto standard = own->required ? std::nullopt : own->write(*program->make());
    const std::string value = own->initial.empty() ? standard.value_or("") : own->initial;
    help += fmt::format(": {}{}", expected, value.empty() ? "" : fmt::format(" (default: {})", value));
  }
  return help;
}

void add_setting(Command& command, const Setting& setting, const Keys& keys, InitArguments& arguments) {
  const std::string flag = setting.run_flag();
  Option* option = add_flag_for(command, flag, setting,
                                [&arguments, flag](const std::string& text) { arguments.given[flag] = text; });
  option->help = help_of(setting, keys);
  const Program* only = nullptr;
  std::size_t count = 0;
  for (const Program* program : keys.programs()) {
    if (program->find(setting.table, setting.name) == nullptr) continue;
    only = program;
    ++count;
  }
  if (count == 1) option->group(fmt::format("Of {}", only->name));
}

}  // namespace

void add_init_command(Command& app, const Keys& keys) {
  Command* command = app.add_subcommand("init", "Write a set of configs for a run across several machines");
  const auto arguments = std::make_shared<InitArguments>();
  std::vector<std::string> protocols;
  for (const Program* program : keys.programs()) {
    protocols.push_back(program->word);
    if (program->is_default) arguments->protocol = program->word;
  }
  for (const auto& role : command_roles(app)) {
    const std::string& word = role->program().command.front();
    if (std::find(protocols.begin(), protocols.end(), word) == protocols.end()) protocols.push_back(word);
  }
  command->add_option("--protocol", arguments->protocol, "The protocol that the roles run")
      ->shows_default()
      ->one_of(protocols);
  command->add_flag("--live", arguments->live, "A decision service, as --protocol live");
  for (const Setting& setting : keys.all()) {
    if (is_offered(setting)) add_setting(*command, setting, keys, *arguments);
  }
  command
      ->add_option(
          "--host", arguments->hosts,
          "Where others reach a role, once for each role that listens; by default localhost, ports 7100 and up")
      ->type_name("ROLE=HOST:PORT")
      ->each_time();
  command
      ->add_option("--set", arguments->assignments,
                   "For robin and p2b: any key of a role's config, such as aggregator.clients=2; for live: any key of "
                   "[service], such as service.reward_wait=1h; as often as needed")
      ->type_name("TABLE.KEY=VALUE")
      ->each_time();
  command->add_option("--out", arguments->out, "Folder to make")->type_name("DIR")->shows_default();
  command->footer(
      "Examples:\n"
      "  sotto init --parties 2 --steps 1797 --arms 10 --out trial --insecure-shared-keys\n"
      "  sotto init --parties 2 --host party_0=sotto.a.example:7100 --host party_1=sotto.b.example:7100 --host "
      "dealer=dealer.c.example:7100 --checkpoint-every 1000\n"
      "  sotto init --protocol o3m --participants 3 --steps 1000 --arms 10 --out run\n"
      "  sotto init --protocol robin --set aggregator.clients=2 --set aggregator.eps=1 --out run\n"
      "  sotto init --live --parties 2 --set service.arms=a,b,c --set service.baseline_arm=a --set "
      "service.reward_wait=1h --out shop\n"
      "docs/guides/running-roles.md has the whole way from two organisations to a run.");
  command->callback([&app, &keys, arguments] {
    if (arguments->live) arguments->protocol = "live";
    run_init(app, keys, *arguments);
  });
}

}  // namespace sotto::apps
