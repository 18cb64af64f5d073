// The configs of a run whose roles are on several machines. Each organisation makes its private key on its own machine.
// By default, write_deployment() therefore writes no keys and an empty [trust].
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/kit/settings/command_config.h"
#include "apps/kit/settings/program.h"

namespace sotto::apps {

inline constexpr unsigned first_default_port = 7100;

using RoleSet = std::vector<std::unique_ptr<RoleSettings>>;

// All configs have the same new session. `hosts` maps every role that listens to its address. If `hosts` is empty, all
// roles listen on localhost, from port 7100 on. Paths in a config are relative to the role's folder. Throws an
// InputError that names the flag of `sotto init` if a value is wrong.
[[nodiscard]] RoleSet plan_deployment(const RoleSettings& run, const std::map<std::string, std::string>& hosts);

// Adds an argument such as "party_0=a.example:7100" to `hosts`. Throws InputError for an invalid argument.
void add_host(const Program& program, const std::string& argument, std::map<std::string, std::string>& hosts);

// `out` and its folders have mode 0700. If insecure_shared_keys is set, every role also gets a key.pem (mode 0600).
// Throws InputError if `out` exists and is not empty, and ResourceError if it cannot be written. After an error, no new
// file or folder remains.
void write_deployment(const RoleSet& roles, const std::filesystem::path& out);

// `texts` maps each folder to its config.
void write_configs(const std::map<std::string, std::string>& texts, const std::filesystem::path& out);

// Reading the TOML gives `config` again. Keys that are not set appear as comments.
[[nodiscard]] std::string commented_config(const RoleSettings& config);

[[nodiscard]] std::string commented_config(const CommandSettings& config);

[[nodiscard]] std::string readme(const RoleSettings& config);

}  // namespace sotto::apps
