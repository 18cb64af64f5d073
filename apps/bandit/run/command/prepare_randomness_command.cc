#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

#include "apps/bandit/run/command/commands.h"
#include "apps/bandit/run/role/prepare_role.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/number_options.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

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
  const PreparedStock made = prepare_role(config, steps, arguments.extras, interrupted());
  fmt::print("{}: {} of {}, {} on disk{}\n", config.name(), made.steps, counted(config.steps, "step"),
             human_bytes(static_cast<double>(made.bytes)), made.whole ? "" : "; the run makes the rest");
}

}  // namespace

void add_prepare_randomness_command(Command& app, const Keys& keys) {
  Command* command = app.add_subcommand(
      "prepare-randomness", "Make a role's randomness ahead of a run without a dealer, as all its roles do at once");
  const auto arguments = std::make_shared<PrepareArguments>();
  command->add_option("--steps", arguments->steps, "Steps that it is made for, from the run's first one; default: all")
      ->number(whole(1, std::numeric_limits<std::uint32_t>::max()));
  add_role_options(*command, arguments->config, arguments->extras, bandit_program().settings);
  command->footer(
      "Start it at all roles, with the configs of the run; then start the run. Ctrl-C keeps what is made, and a later\n"
      "start goes on. A stock is used once: by one run, from its first step, with the same data.\n"
      "Examples:\n"
      "  sotto prepare-randomness --config party.toml --stock stock\n"
      "  sotto prepare-randomness --config party.toml --stock stock --steps 10000\n"
      "  sotto party --config party.toml --stock stock\n"
      "docs/running-roles.md says what a stock holds, and what protects it.");
  command->callback([&keys, arguments] { prepare_randomness(keys, *arguments); });
}

}  // namespace sotto::apps::bandit::run
