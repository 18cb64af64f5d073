// A role whose settings are the options of its command, which may then stand in a config and in the environment as
// well: the roles of ROBIN and P2B, which are services and their clients.
//
//     [aggregator]
//     clients = 2
//     eps = 500.0
//     trust = ["sha256:...", "sha256:..."]
//
// The key k of the command's table is the option --k; it is also the variable SOTTO_<TABLE>_<K> in capitals. A flag
// wins over a variable, a variable over the file, the file over the default. Relative paths in a file are relative to
// its folder. Reader, writer and `sotto help --settings`, `init` and `doctor` go by the same list as those of other
// roles.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/program/command.h"
#include "apps/kit/program/service_options.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps {

// What a doctor wants to know of it. The arguments are those that its options fill in.
struct CommandRole {
  std::string table;
  const KeyArguments* key;
  const ListenArguments* listen = nullptr;                                  // of a service
  std::vector<std::pair<const ConnectArguments*, const char*>> services{};  // that it connects to, by their names
};

// Declares --config, --ignore-variables and --print-config; call it once the command has its other options. The values
// are filled in before the command runs. InputError starts with file, line and column, or with the variable.
void add_command_config(Command& command, CommandRole role);

// The list and the values of such a command, which it must outlive.
class CommandSettings final : public Settings {
 public:
  // `words` are the command's, after `sotto`: {"robin", "aggregator"}.
  CommandSettings(Command& command, std::vector<std::string> words);
  CommandSettings(const CommandSettings&) = delete;
  CommandSettings& operator=(const CommandSettings&) = delete;

  [[nodiscard]] const Program& program() const override { return program_; }
  [[nodiscard]] std::string name() const override { return program_.name; }
  [[nodiscard]] const std::string& table() const { return command_.role()->table; }
  [[nodiscard]] Command& command() const { return command_; }
  [[nodiscard]] const Keys& keys() const { return keys_; }

  // Gives the options what the document has, except those that a flag gave.
  void read(const ConfigDocument& document);
  // Throws UsageError if an option is missing.
  void require_all() const;

 private:
  Command& command_;
  Program program_;
  Keys keys_;
};

// Those of all commands below `app`, which they must outlive.
[[nodiscard]] std::vector<std::unique_ptr<CommandSettings>> command_roles(Command& app);

// Gives the options what the file and, over it, the variables have. Without a file its name is empty.
[[nodiscard]] ConfigDocument fill_from(CommandSettings& settings, const std::string& toml, const std::string& file,
                                       const ConfigOverlay& overlay);

// Each with what it must be, its default and its flag, table by table, and whose runs have it; then those of roles
// whose commands have them as options.
[[nodiscard]] std::string settings_manual(const Keys& keys,
                                          const std::vector<std::unique_ptr<CommandSettings>>& roles = {});

}  // namespace sotto::apps
