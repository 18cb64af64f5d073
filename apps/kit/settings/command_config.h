// Some roles have the options of their command as settings. The settings of such a role may also be in a config and in
// environment variables. The roles of ROBIN and P2B, which are services and their clients, work this way.
//
//     [aggregator]
//     clients = 2
//     eps = 500.0
//     trust = ["sha256:...", "sha256:..."]
//
// The key k in the command's table sets the option --k, and so does the environment variable SOTTO_<TABLE>_<K> in
// capitals. A flag wins over a variable, a variable over the config file, and the config file over the default.
// Relative paths in a config file are relative to the folder of the file. `sotto help --settings`, `init`, `doctor`,
// and the code that reads and writes configs treat the settings of such a role like those of any other role.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/program/command.h"
#include "apps/kit/program/service_options.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps {

// The data that `sotto doctor` needs about a role whose settings are options. The pointers refer to the arguments that
// the role's options fill.
struct CommandRole {
  std::string table;
  const KeyArguments* key;
  const ListenArguments* listen = nullptr;  // set only for a service
  // services that the role connects to, with their names
  std::vector<std::pair<const ConnectArguments*, const char*>> services{};
};

// Declares --config, --ignore-variables and --print-config. Call add_command_config() after declaring the other options
// of the command. The values are filled in before the command runs. An InputError starts with file, line and column, or
// with the name of the variable.
void add_command_config(Command& command, CommandRole role);

// The settings of a command that has a config, with their values. The command must outlive this object.
class CommandSettings final : public Settings {
 public:
  // `words` are the words of the command after `sotto`: {"robin", "aggregator"}.
  CommandSettings(Command& command, std::vector<std::string> words);
  CommandSettings(const CommandSettings&) = delete;
  CommandSettings& operator=(const CommandSettings&) = delete;

  [[nodiscard]] const Program& program() const override { return program_; }
  [[nodiscard]] std::string name() const override { return program_.name; }
  [[nodiscard]] const std::string& table() const { return command_.role()->table; }
  [[nodiscard]] Command& command() const { return command_; }
  [[nodiscard]] const Keys& keys() const { return keys_; }

  // Sets the options to the values of the document, except options that a flag has set.
  void read(const ConfigDocument& document);
  // Throws UsageError if an option is missing.
  void require_all() const;

 private:
  Command& command_;
  Program program_;
  Keys keys_;
};

// The settings of all commands below `app`. The settings must not be used after `app` is destroyed.
[[nodiscard]] std::vector<std::unique_ptr<CommandSettings>> command_roles(Command& app);

// Sets the options to the values of the config file and of the environment variables, where variables win over the
// file. `toml` is the text of the file. If there is no file, `file` is empty.
[[nodiscard]] ConfigDocument fill_from(CommandSettings& settings, const std::string& toml, const std::string& file,
                                       const ConfigOverlay& overlay);

// The manual of all settings, table by table: the expected value, the default, the flag, and the programs that have the
// setting. The manual ends with the settings that roles have as options of their commands.
[[nodiscard]] std::string settings_manual(const Keys& keys,
                                          const std::vector<std::unique_ptr<CommandSettings>>& roles = {});

}  // namespace sotto::apps
