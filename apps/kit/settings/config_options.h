// The flags of subcommands that read a role's config: --config, --set, a flag for each key that has one
// (apps/kit/settings/setting.h), --ignore-variables and --print-config.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/settings/role_settings.h"

namespace sotto::apps {

class Command;
struct Option;

struct ConfigArguments {
  std::filesystem::path file;
  std::vector<std::string> assignments;      // arguments of --set, such as "run.steps=100"
  std::map<std::string, std::string> flags;  // path of a setting, such as "role.data" -> text of its flag
  bool ignore_variables = false;
  bool print = false;
};

// Declares --config, --print-config and --ignore-variables. `variables` describes the variables: "SOTTO_<TABLE>_<KEY>".
Option* add_config_flags(Command& command, ConfigArguments& arguments, const std::string& about,
                         const std::string& variables);

// Declares --config, --set, --ignore-variables and --print-config on a subcommand, together with the flags of
// `settings`. `settings` are the settings of one program or of all programs. `arguments` must live as long as the
// command.
void add_config_options(Command& command, ConfigArguments& arguments, const std::vector<Setting>& settings);

// Declares the flag of one setting of the run. The flag writes its value into `settings`.
Option* add_setting_option(Command& command, Settings& settings, std::string_view path);
// Declares the flags of all settings in [run] that the user must choose for a run of all roles on one machine.
void add_run_options(Command& command, Settings& settings);

// The names that messages about a config use for settings, instead of the flags: "--max-norm" is "max_norm in [run]".
[[nodiscard]] std::map<std::string, std::string> names_in_config(const std::vector<Setting>& settings);

// Declares a flag with the given name for the setting. A flag for a setting that is true or false passes the text
// "true" to `take`. Returns the option.
Option* add_flag_for(Command& command, const std::string& flag, const Setting& setting,
                     std::function<void(const std::string&)> take);

// Makes the config from the arguments. Flags win over environment variables, and environment variables win over the
// file. Throws InputError.
[[nodiscard]] EffectiveConfig effective_config(const Keys& keys, const ConfigArguments& arguments);

}  // namespace sotto::apps
