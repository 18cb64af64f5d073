// A set of configs for a run whose roles are on several machines: `sotto init`.
//
// Every role gets a folder with a config and a README of its next steps. The user sends each folder to the organisation
// of its role. Each organisation makes its private key on the machine that uses the key. By default the folders
// therefore have no keys, and [trust] is still empty.
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

// The configs of all roles of a run, in the order of RoleSettings::roles().
using RoleSet = std::vector<std::unique_ptr<RoleSettings>>;

// Returns a config for each role of the run that `run` describes. All configs have the same new session. `hosts` has
// the address of every role that listens ("party_0" -> host:port). If `hosts` is empty, all roles listen on localhost,
// from port 7100 on. Paths in a config are relative to the role's folder. If a value is wrong, throws an InputError
// that names the flag of `sotto init`.
[[nodiscard]] RoleSet plan_deployment(const RoleSettings& run, const std::map<std::string, std::string>& hosts);

// Adds the argument of --host, such as "party_0=a.example:7100", to `hosts`. Throws InputError if the argument is
// invalid.
void add_host(const Program& program, const std::string& argument, std::map<std::string, std::string>& hosts);

// Makes `out` with a folder for each role. All folders have mode 0700, and each role's folder contains config.toml and
// README.txt. With insecure_shared_keys in [run], write_deployment() also makes every role's key.pem (mode 0600) and
// writes the fingerprints into [trust] of all roles. Throws InputError if `out` exists and has content. Throws
// ResourceError if `out` cannot be written. After an error, no file or folder that the call made remains.
void write_deployment(const RoleSet& roles, const std::filesystem::path& out);

// Does the same as write_deployment(), but writes only a config into each folder. `texts` maps the name of each folder
// to the text of its config.
void write_configs(const std::map<std::string, std::string>& texts, const std::filesystem::path& out);

// The functions below write a role's config.toml for people to read and change: a comment above each key describes the
// key.

// The config as commented TOML. Reading the TOML gives `config` again, with the paths unchanged. Keys that the role can
// have but that are not set appear as comments. An empty [trust] appears as a comment too. The config is complete once
// [trust] has the fingerprints of all roles. Before a role of O3M can start, its owner must also acknowledge what O3M
// leaks.
[[nodiscard]] std::string commented_config(const RoleSettings& config);

// The config as commented TOML, for a role whose settings are the options of its command. A setting without a value is
// written as a comment for the user to fill in.
[[nodiscard]] std::string commented_config(const CommandSettings& config);

// README.txt in the folder of a role lists the next steps of the role's operator, in order.

[[nodiscard]] std::string readme(const RoleSettings& config);

}  // namespace sotto::apps
