#include "apps/bandit/run/command/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/bandit/run/role/run_role.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

struct RoleArguments {
  ConfigArguments config;
  bool resume = false;
  RoleExtras extras;
};

void require_role(const std::string& command, const ConfigArguments& arguments, const RoleSettings& config) {
  const std::vector<std::string> own = config.command();
  if (own.size() == 1 && own.front() == command) return;
  const Program& program = config.program();
  const bool other = &program != &bandit_program();
  throw InputError(
      arguments.file.string(),
      fmt::format("this is the config of {}{}, not of a {} of {}; start it with `{} --config ...`{}",
                  config.spoken_name(), other ? " in a run of " + program.name : "", command, bandit_program().name,
                  config.started_by(), program.executable == "sotto" ? "" : ", the program that all roles have built"));
}

void run_role(const Keys& keys, const std::string& command, const RoleArguments& arguments) {
  catch_interrupts();
  const EffectiveConfig effective = effective_config(keys, arguments.config);
  require_role(command, arguments.config, *effective.config);
  auto& config = static_cast<BanditSettings&>(*effective.config);
  config.resume = arguments.resume;
  if (config.resume && config.state.empty()) {
    throw InputError("--resume",
                     "there is no state to go on from: this needs checkpoint_every in [run] and state in [role], as in "
                     "the run that ended");
  }
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(effective));
    return;
  }
  const RoleReport report = run_role(config, arguments.extras, interrupted());
  warn_of_insecure(report);
  if (config.role() == BanditRole::dealer) {
    fmt::print("{}: {}, {} dealt, {:.2f} s of CPU time\n", report.role, counted(report.rounds, "round"),
               counted(report.dealt_bytes, "byte"), report.cpu_seconds);
  } else {
    fmt::print("{}: {}, {} sent, {:.2f} s online\n", report.role, counted(report.rounds, "round"),
               counted(report.bytes_sent, "byte"), report.online_seconds);
  }
}

void add(Command& app, const Keys& keys, const std::string& name, const std::string& description) {
  Command* command = app.add_subcommand(name, description);
  const auto arguments = std::make_shared<RoleArguments>();
  add_role_options(*command, arguments->config, arguments->extras, bandit_program().settings);
  command->add_flag("--resume", arguments->resume, "Go on from the last checkpoint that all roles have");
  command->footer(fmt::format(
      "A flag wins over a variable of the environment, a variable over the file, the file over the default.\n"
      "Examples:\n"
      "  sotto {0} --config {0}.toml\n"
      "  sotto {0} --config {0}.toml --set run.steps=100 --print-config\n"
      "  SOTTO_ROLE_REPORT=report.json sotto {0} --config {0}.toml\n"
      "docs/running-roles.md lists all keys; `sotto init` writes configs, `sotto doctor` tries them.",
      name));
  command->callback([&keys, name, arguments] { run_role(keys, name, *arguments); });
}

}  // namespace

void add_role_commands(Command& app, const Keys& keys) {
  add(app, keys, "party", "Run one compute party, which owns feature columns");
  add(app, keys, "owner", "Run an owner, which brings feature columns and computes nothing");
  add(app, keys, "dealer", "Run the dealer, which makes correlated randomness and sees no data");
  add(app, keys, "helper", "Run the helper of two parties, which makes randomness with them and knows none of it");
  add(app, keys, "actor", "Run the actor, which pulls the arms");
  add(app, keys, "rewarder", "Run the rewarder, which gets the rewards, as a process of its own");
}

}  // namespace sotto::apps::bandit::run
