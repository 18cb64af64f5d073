// A command that takes its options from a config file and from the environment as well: for roles whose settings are
// the options of their command.
//
//     [aggregator]
//     clients = 2
//     eps = 500.0
//     trust = ["sha256:...", "sha256:..."]
//
// The key k of the command's table is the option --k; it is also the variable SOTTO_<TABLE>_<K> in capitals. A flag wins over a
// variable, a variable over the file, the file over the default. Relative paths in a file are relative to its folder.
#pragma once

#include <map>
#include <string>

#include "sotto/apps/kit/program/command.h"

namespace sotto::apps {

// Declares --config, --ignore-variables and --print-config; call it once the command has its options. The values are
// filled in before the command runs. InputError starts with file, line and column, or with the variable.
void add_command_config(Command& command, const std::string& table);

// For tests: what the options take that no flag gave.
void fill_from(Command& command, const std::string& table, const std::string& toml, const std::string& file,
               const std::map<std::string, std::string>& variables);

}  // namespace sotto::apps
