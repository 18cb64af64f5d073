// A set of configs for a run whose roles are on several machines: `sotto init`.
//
// Every role gets a folder with a config and a README of its next steps. The folders go to the organisations. Each
// organisation makes its private key on the machine that uses it. By default the set therefore has no keys, and [trust]
// is still empty.
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

// The roles of a set, in the order of RoleSettings::roles().
using RoleSet = std::vector<std::unique_ptr<RoleSettings>>;

// Returns a config for each role of the run that `run` describes, with a fresh session. `hosts` has the address of
// every role that listens ("party_0" -> host:port). If `hosts` is empty, all roles listen on localhost, from port 7100
// on. Paths are relative to the role's folder. Throws InputError that names the flag of `sotto init`.
[[nodiscard]] RoleSet plan_deployment(const RoleSettings& run, const std::map<std::string, std::string>& hosts);

// Adds "party_0=a.example:7100", the argument of --host, to `hosts`. Throws InputError.
void add_host(const Program& program, const std::string& argument, std::map<std::string, std::string>& hosts);

// Makes `out` with a folder for each role. All folders have mode 0700, and each role's folder holds config.toml and
// README.txt. With insecure_shared_keys in [run] it also makes every role's key.pem (0600) and writes the fingerprints
// into [trust] of all roles. Throws InputError if `out` exists and has content. Throws ResourceError if `out` cannot be
// written. Nothing remains after an error.
void write_deployment(const RoleSet& roles, const std::filesystem::path& out);

// Does the same as write_deployment(), but each folder has only a config. `texts` holds the config texts by folder
// name.
void write_configs(const std::map<std::string, std::string>& texts, const std::filesystem::path& out);

// A role's config.toml for people to read and change: a comment above each key describes the key.

// TOML that reads back as `config`, with the paths unchanged. Keys that the role can have and that are not set appear
// as comments, and so does [trust] while it is empty. The config is complete once [trust] has the fingerprints of all
// roles. A role of O3M can start once its owner has acknowledged what O3M leaks.
[[nodiscard]] std::string commented_config(const RoleSettings& config);

// The same for a role whose settings are its command's options. A setting without a value is written as a comment to
// fill in.
[[nodiscard]] std::string commented_config(const CommandSettings& config);

// README.txt in the folder of a role lists the next steps of the role's operator, in order.

[[nodiscard]] std::string readme(const RoleSettings& config);

}  // namespace sotto::apps
