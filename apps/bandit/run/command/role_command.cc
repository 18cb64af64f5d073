#include "apps/bandit/run/command/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

#include "apps/bandit/run/result/role_page.h"
#include "apps/bandit/run/role/run_role.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/report/human.h"
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
                  config.display_name(), other ? " in a run of " + program.name : "", command, bandit_program().name,
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
                     "there is no state to continue from: this needs checkpoint_every in [run] and state in [role], as "
                     "in the run that ended");
  }
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(effective));
    return;
  }
  const RoleReport report = run_role(config, config, config, config, arguments.extras, interrupted());
  warn_of_insecure(report);
  if (const std::string result = role_result(report, config);
      !result.empty() && !arguments.extras.progress_descriptor) {
    fmt::print("{}: {}\n", report.role, result);
  }
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
  command->add_flag("--resume", arguments->resume, "Continue from the last checkpoint that all roles have");
  command->footer(fmt::format(
      "A flag wins over a variable of the environment, a variable over the file, the file over the default.\n"
      "Examples:\n"
      "  sotto {0} --config {0}.toml\n"
      "  sotto {0} --config {0}.toml --set run.steps=100 --print-config\n"
      "  SOTTO_ROLE_REPORT=report.json sotto {0} --config {0}.toml\n"
      "docs/guides/running-roles.md lists all keys; `sotto init` writes configs, `sotto doctor` tries them.",
      name));
  command->callback([&keys, name, arguments] { run_role(keys, name, *arguments); });
}

struct PrepareArguments {
  ConfigArguments config;
  std::optional<std::uint64_t> steps;
  RoleExtras extras;
};

void prepare_randomness(const Keys& keys, const PrepareArguments& arguments) {
  catch_interrupts();
  const EffectiveConfig effective = effective_config(keys, arguments.config);
  if (&effective.config->program() != &bandit_program()) {
    throw InputError(arguments.config.file.string(),
                     "this is no config of the private bandit: only its roles keep a stock of randomness");
  }
  const auto& config = static_cast<const BanditSettings&>(*effective.config);
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(effective));
    return;
  }
  if (config.stock.empty()) {
    throw InputError(arguments.config.file.string(),
                     "names no folder for the randomness: set stock in [role], or --stock");
  }
  const std::uint64_t steps = arguments.steps.value_or(config.steps);
  const PreparedStock made = prepare_role(config, config, config, config, steps, arguments.extras, interrupted());
  fmt::print("{}: {} of {}, {} on disk{}\n", config.name(), made.steps, counted(config.steps, "step"),
             human_bytes(static_cast<double>(made.bytes)), made.whole ? "" : "; the run makes the rest");
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

void add_prepare_randomness_command(Command& app, const Keys& keys) {
  Command* command = app.add_subcommand(
      "prepare-randomness", "Make a role's randomness ahead of a run without a dealer, as all its roles do at once");
  const auto arguments = std::make_shared<PrepareArguments>();
  command->add_option("--steps", arguments->steps, "Steps that it is made for, from the run's first one; default: all")
      ->number(whole(1, std::numeric_limits<std::uint32_t>::max()));
  add_role_options(*command, arguments->config, arguments->extras, bandit_program().settings);
  command->footer(
      "Start it at all roles, with the configs of the run; then start the run. Ctrl-C keeps what is made, and a later\n"
      "start continues. A stock is used once: by one run, from its first step, with the same data.\n"
      "Examples:\n"
      "  sotto prepare-randomness --config party.toml --stock stock\n"
      "  sotto prepare-randomness --config party.toml --stock stock --steps 10000\n"
      "  sotto party --config party.toml --stock stock\n"
      "docs/guides/running-roles.md says what a stock holds, and what protects it.");
  command->callback([&keys, arguments] { prepare_randomness(keys, *arguments); });
}

}  // namespace sotto::apps::bandit::run
