#include "sotto/apps/kit/settings/config_options.h"

#include <fmt/format.h>
#include "sotto/apps/kit/program/command.h"

namespace sotto::apps {
namespace {

constexpr const char* group = "Values of the config";

void add_flag_of(const Setting& key, Command& command, ConfigArguments& arguments) {
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
      .add_option_function(
          key.flag, [&arguments, path](const std::string& text) { arguments.flags[path] = text; }, help)
      ->type_name(key.unit)
      ->group(group);
}

}  // namespace

void add_config_options(Command& command, ConfigArguments& arguments, const std::vector<Setting>& settings) {
  command.add_option("--config", arguments.file, "The role's config, TOML")->required()->type_name("FILE");
  command.add_flag("--print-config", arguments.print,
                   "Print the config as it will be used, each value with its origin, and end");
  command
      .add_option("--set", arguments.assignments, "Any key of the config, such as run.steps=100; as often as needed")
      ->type_name("TABLE.KEY=VALUE")
      ->each_time()
      ->group(group);
  for (const Setting& setting : settings) {
    if (!setting.flag.empty()) add_flag_of(setting, command, arguments);
  }
  command
      .add_flag("--ignore-variables", arguments.ignore_variables,
                "Take nothing from SOTTO_<TABLE>_<KEY> variables of the environment")
      ->group(group);
}

EffectiveConfig effective_config(const Keys& keys, const ConfigArguments& arguments) {
  ConfigOverlay overlay;
  if (!arguments.ignore_variables) overlay.variables = settings_of_variables(keys, process_variables());
  for (const std::string& assignment : arguments.assignments) {
    overlay.flags.push_back(setting_of_assignment(keys, assignment));
  }
  for (const Setting& key : keys.all()) {
    const auto given = arguments.flags.find(key.path());
    if (given != arguments.flags.end()) {
      overlay.flags.push_back(setting_of_flag(key, given->second));
    }
  }
  return read_effective_config(keys, arguments.file, overlay);
}

}  // namespace sotto::apps
