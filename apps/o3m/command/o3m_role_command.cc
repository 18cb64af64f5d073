#include "sotto/apps/o3m/commands.h"

#include <fmt/format.h>

#include <memory>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/o3m/leakage.h"
#include "sotto/apps/o3m/run_role.h"
#include "sotto/apps/o3m/settings.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

struct O3mRoleArguments {
  ConfigArguments config;
  RoleExtras extras;
};

void require_o3m(const ConfigArguments& arguments, const RoleSettings& config) {
  if (&config.program() == &o3m_program()) return;
  throw InputError(arguments.file.string(),
                   fmt::format("this is the config of {} in a run of {}, not of O3M; run `sotto {} --config ...`",
                               config.spoken_name(), config.program().name, fmt::join(config.command(), " ")));
}

void run_o3m_role(const Keys& keys, const O3mRoleArguments& arguments) {
  catch_interrupts();
  const EffectiveConfig effective = effective_config(keys, arguments.config);
  require_o3m(arguments.config, *effective.config);
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(effective));
    return;
  }
  const O3mRoleReport report =
      run_o3m_role(static_cast<const O3mSettings&>(*effective.config), arguments.extras, interrupted());
  warn_of_insecure(report);
  fmt::print("{}\n", leakage_headline());
  fmt::print("{}: {}, {} sent, {:.2f} s of masking", report.role, counted(report.rounds, "round"),
             counted(report.bytes_sent, "byte"), report.masking_seconds);
  if (report.average_reward) {
    fmt::print(", {} in {:.2f} s, average reward {:.6g}", counted(report.arms.size(), "step"), report.play_seconds,
               *report.average_reward);
  }
  fmt::print("\n");
}

}  // namespace

void add_o3m_role_command(Command& o3m, const Keys& keys) {
  Command* command = o3m.add_subcommand("role", "Run one role of an O3M run across machines, from its config");
  const auto arguments = std::make_shared<O3mRoleArguments>();
  add_role_options(*command, arguments->config, arguments->extras, o3m_program().settings);
  command->footer(
      "Each role is started by whoever owns its data, and only after acknowledging what the others learn "
      "(docs/o3m.md): acknowledge_leakage = true in [run] or --acknowledge-leakage.\n"
      "A flag wins over a variable of the environment, a variable over the file, the file over the default.\n"
      "Examples:\n"
      "  sotto o3m role --config active/config.toml --acknowledge-leakage\n"
      "  sotto o3m role --config passive_1/config.toml --set run.steps=100 --print-config\n"
      "docs/running-roles.md lists all keys; `sotto init --protocol o3m` writes configs, `sotto doctor` tries them.");
  command->callback([&keys, arguments] { run_o3m_role(keys, *arguments); });
}

}  // namespace sotto::apps
