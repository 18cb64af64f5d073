// The roles of ROBIN and P2B take their settings from the options of their commands. A config may also contain these
// settings:
//
//     [aggregator]
//     clients = 2
//     eps = 500.0
//     trust = ["sha256:...", "sha256:..."]
//
// The key k in the table t sets the option --k, and so does the environment variable SOTTO_<T>_<K> in capitals. A flag
// wins over a variable, a variable over the config file, and the config file over the default.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/program/command.h"
#include "apps/kit/program/service_options.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps {

// The pointers refer to the arguments of the role's options.
struct CommandRole {
  std::string table;
  const KeyArguments* key;
  const ListenArguments* listen = nullptr;  // only for services
  std::vector<std::pair<const ConnectArguments*, const char*>> services{};
};

// To be called after all other options of the command are declared. An InputError starts with file, line and column, or
// with the name of the variable.
void add_command_config(Command& command, CommandRole role);

class CommandSettings final : public Settings {
 public:
  // `words` are the words of the command, such as {"robin", "aggregator"}.
  CommandSettings(Command& command, std::vector<std::string> words);
  CommandSettings(const CommandSettings&) = delete;
  CommandSettings& operator=(const CommandSettings&) = delete;

  [[nodiscard]] const Program& program() const override { return program_; }
  [[nodiscard]] std::string name() const override { return program_.name; }
  [[nodiscard]] const std::string& table() const { return command_.role()->table; }
  [[nodiscard]] Command& command() const { return command_; }
  [[nodiscard]] const Keys& keys() const { return keys_; }

  // A flag wins over the document.
  void read(const ConfigDocument& document);
  void require_all() const;

 private:
  Command& command_;
  Program program_;
  Keys keys_;
};

// `app` must outlive the result.
[[nodiscard]] std::vector<std::unique_ptr<CommandSettings>> command_roles(Command& app);

// Environment variables win over the file.
[[nodiscard]] ConfigDocument fill_from(CommandSettings& settings, const std::string& toml, const std::string& file,
                                       const ConfigOverlay& overlay);

[[nodiscard]] std::string settings_manual(const Keys& keys,
                                          const std::vector<std::unique_ptr<CommandSettings>>& roles = {});

}  // namespace sotto::apps
