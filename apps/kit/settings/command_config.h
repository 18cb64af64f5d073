// A role whose settings are the options of its command. The settings may then also be in a config and in the
// environment. The roles of ROBIN and P2B, which are services and their clients, work this way.
//
//     [aggregator]
//     clients = 2
//     eps = 500.0
//     trust = ["sha256:...", "sha256:..."]
//
// The key k of the command's table is the option --k, and also the variable SOTTO_<TABLE>_<K> in capitals. A flag wins
// over a variable, a variable over the file, and the file over the default. Relative paths in a file are relative to
// its folder. Reader, writer, `sotto help --settings`, `init` and `doctor` use the same list as for other roles.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/program/command.h"
#include "apps/kit/program/service_options.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps {

// The data that a doctor needs about the role. The arguments are those that the role's options fill.
struct CommandRole {
  std::string table;
  const KeyArguments* key;
  const ListenArguments* listen = nullptr;  // set for a service
  // services that the role connects to, with their names
  std::vector<std::pair<const ConnectArguments*, const char*>> services{};
};

// Declares --config, --ignore-variables and --print-config. Call it after declaring the other options of the command.
// The values are filled in before the command runs. An InputError starts with file, line and column, or with the
// variable.
void add_command_config(Command& command, CommandRole role);

// The settings of such a command, with their values. The command must outlive this object.
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

  // Gives the options the values of the document, except options that a flag gave.
  void read(const ConfigDocument& document);
  // Throws UsageError if an option is missing.
  void require_all() const;

 private:
  Command& command_;
  Program program_;
  Keys keys_;
};

// The settings of all commands below `app`, which must outlive them.
[[nodiscard]] std::vector<std::unique_ptr<CommandSettings>> command_roles(Command& app);

// Gives the options the values of the file, and of the variables, which win over the file. If there is no file, its
// name is empty.
[[nodiscard]] ConfigDocument fill_from(CommandSettings& settings, const std::string& toml, const std::string& file,
                                       const ConfigOverlay& overlay);

// The manual of all settings, table by table: the expected value, the default, the flag, and the programs that have the
// setting. After that the settings of roles whose commands have them as options.
[[nodiscard]] std::string settings_manual(const Keys& keys,
                                          const std::vector<std::unique_ptr<CommandSettings>>& roles = {});

}  // namespace sotto::apps
