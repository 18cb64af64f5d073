#include "sotto/apps/kit/settings/config_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr const char* group = "Values of the config";

std::string unit(const ConfigKey& key) {
  switch (key.kind) {
    case ValueKind::path:
      return key.name == "state" ? "DIR" : "FILE";
    case ValueKind::real:
      return "SECONDS";
    default:
      return key.name == "listen" ? "HOST:PORT" : "TEXT";
  }
}

void add_flag_of(const ConfigKey& key, CLI::App& command, ConfigArguments& arguments) {
  const std::string path = key.path();
  const std::string help = fmt::format("{} ({})", key.help, key.variable());
  if (key.kind == ValueKind::choice) {
    command
        .add_flag_callback(
            key.flag, [&arguments, path] { arguments.flags[path] = "true"; }, help)
        ->group(group);
    return;
  }
  command
      .add_option_function<std::string>(
          key.flag, [&arguments, path](const std::string& text) { arguments.flags[path] = text; },
          help)
      ->type_name(unit(key))
      ->group(group);
}

}  // namespace

void add_config_options(CLI::App& command, ConfigArguments& arguments, KeyOf of) {
  command.add_option("--config", arguments.file, "The role's config, TOML")
      ->required()
      ->type_name("FILE");
  command.add_flag("--print-config", arguments.print,
                   "Print the config as it will be used, each value with its origin, and end");
  command
      .add_option("--set", arguments.assignments,
                  "Any key of the config, such as run.steps=100; as often as needed")
      ->type_name("TABLE.KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  for (const ConfigKey& key : config_keys()) {
    const bool fits = of == KeyOf::every_run || key.of == KeyOf::every_run || key.of == of;
    if (fits && !key.flag.empty()) add_flag_of(key, command, arguments);
  }
  command
      .add_flag("--ignore-variables", arguments.ignore_variables,
                "Take nothing from SOTTO_<TABLE>_<KEY> variables of the environment")
      ->group(group);
}

EffectiveConfig effective_config(const ConfigArguments& arguments) {
  ConfigOverlay overlay;
  if (!arguments.ignore_variables) overlay.variables = settings_of_variables(process_variables());
  for (const std::string& assignment : arguments.assignments) {
    overlay.flags.push_back(setting_of_assignment(assignment));
  }
  for (const ConfigKey& key : config_keys()) {
    const auto given = arguments.flags.find(key.path());
    if (given != arguments.flags.end()) {
      overlay.flags.push_back(setting_of_flag(key, given->second));
    }
  }
  EffectiveConfig effective = read_effective_config(arguments.file, overlay);
  effective.config.resume = arguments.resume;
  if (arguments.resume && effective.config.state.empty()) {
    throw InputError("--resume",
                     "there is no state to go on from: this needs checkpoint_every in [run] and "
                     "state in [role], as in the run that ended");
  }
  return effective;
}

}  // namespace sotto::apps
