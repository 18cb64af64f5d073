// The flags of commands that read a role's config.
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
  std::vector<std::string> assignments;      // such as "run.steps=100"
  std::map<std::string, std::string> flags;  // setting path -> text of the flag
  bool ignore_variables = false;
  bool print = false;
};

Option* add_config_flags(Command& command, ConfigArguments& arguments, const std::string& about,
                         const std::string& variables);

// `arguments` must live as long as the command.
void add_config_options(Command& command, ConfigArguments& arguments, const std::vector<Setting>& settings);

Option* add_setting_option(Command& command, Settings& settings, std::string_view path);
// The settings that the user must choose for a run on one machine.
void add_run_options(Command& command, Settings& settings);

// Maps each flag to the name of its setting in a config: "--max-norm" to "max_norm in [run]".
[[nodiscard]] std::map<std::string, std::string> names_in_config(const std::vector<Setting>& settings);

Option* add_flag_for(Command& command, const std::string& flag, const Setting& setting,
                     std::function<void(const std::string&)> take);

// Flags win over environment variables, and environment variables win over the file.
[[nodiscard]] EffectiveConfig effective_config(const Keys& keys, const ConfigArguments& arguments);

}  // namespace sotto::apps
