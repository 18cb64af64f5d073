// The flags of subcommands that read a role's config: --config, --set, a flag for each key that has one
// (apps/kit/settings/setting.h), --ignore-variables and --print-config.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sotto/apps/kit/settings/role_settings.h"

namespace sotto::apps {

class Command;

struct ConfigArguments {
  std::filesystem::path file;
  std::vector<std::string> assignments;      // of --set, "run.steps=100"
  std::map<std::string, std::string> flags;  // "role.data" -> its text
  bool ignore_variables = false;
  bool print = false;
};

// Declares them on a subcommand, with the flags of these settings: of one program, or of all. `arguments` must live as
// long as the command.
void add_config_options(Command& command, ConfigArguments& arguments, const std::vector<Setting>& settings);

// The config of the arguments: flags, above the variables of the environment, above the file. Throws InputError.
[[nodiscard]] EffectiveConfig effective_config(const Keys& keys, const ConfigArguments& arguments);

}  // namespace sotto::apps
