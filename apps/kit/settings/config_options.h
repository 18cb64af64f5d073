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
  std::vector<std::string> assignments;      // of --set, "run.steps=100"
  std::map<std::string, std::string> flags;  // "role.data" -> its text
  bool ignore_variables = false;
  bool print = false;
};

// Declares --config, --print-config and --ignore-variables; `variables` says which: "SOTTO_<TABLE>_<KEY>".
Option* add_config_flags(Command& command, ConfigArguments& arguments, const std::string& about,
                         const std::string& variables);

// Declares them on a subcommand, with the flags of these settings: of one program, or of all. `arguments` must live as
// long as the command.
void add_config_options(Command& command, ConfigArguments& arguments, const std::vector<Setting>& settings);

// Declares the flag of one setting of the run, whose value goes to `settings`.
Option* add_setting_option(Command& command, Settings& settings, std::string_view path);
// Those of all settings in [run] that a run of all roles on one machine is asked for.
void add_run_options(Command& command, Settings& settings);

// What messages call these in a config instead of by a flag: "--max-norm" is "max_norm in [run]".
[[nodiscard]] std::map<std::string, std::string> names_in_config(const std::vector<Setting>& settings);

// A flag of that name for the setting, where true stands for a choice that is given. Returns the option.
Option* add_flag_for(Command& command, const std::string& flag, const Setting& setting,
                     std::function<void(const std::string&)> take);

// The config of the arguments: flags, above the variables of the environment, above the file. Throws InputError.
[[nodiscard]] EffectiveConfig effective_config(const Keys& keys, const ConfigArguments& arguments);

}  // namespace sotto::apps
