// A set of configs for a run whose roles are on several machines: `sotto init`.
//
// Every role gets a folder with a config and a README of its next steps. The folders go to the organisations; each
// makes its private key where it will use it, so that by default the set has no keys and [trust] is still empty.
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

// A config for each role of the run that `run` describes, with a fresh session. `hosts` has the address of every role
// that listens ("party_0" -> host:port); where it is empty all listen on localhost, from port 7100 on. Paths are
// relative to the role's folder. Throws InputError that names the flag of `sotto init`.
[[nodiscard]] RoleSet plan_deployment(const RoleSettings& run, const std::map<std::string, std::string>& hosts);

// From "party_0=a.example:7100", the argument of --host, into `hosts`. Throws InputError.
void add_host(const Program& program, const std::string& argument, std::map<std::string, std::string>& hosts);

// Makes `out` with a folder for each role, all of mode 0700, the config.toml and README.txt of the role in it. With
// insecure_shared_keys in [run] it also makes every role's key.pem (0600) and puts the fingerprints into [trust] of
// all. Throws InputError if `out` exists and has content, ResourceError if it cannot be written; nothing stays behind
// then.
void write_deployment(const RoleSet& roles, const std::filesystem::path& out);

// The same with a config alone in each folder: the texts by the folders' names.
void write_configs(const std::map<std::string, std::string>& texts, const std::filesystem::path& out);

// A role's config.toml for people to read and change: each key under a comment that says what it is.

// TOML that reads back as `config`, paths as they are. Keys that the role can have and that are not set are there as
// comments, so is [trust] while it is empty; then the config is complete once the fingerprints of all roles are in it,
// and a role of O3M can start once whoever owns it has acknowledged what that leaks.
[[nodiscard]] std::string commented_config(const RoleSettings& config);

// Of a role whose settings are its command's options: what has no value is a comment, to be filled in.
[[nodiscard]] std::string commented_config(const CommandSettings& config);

// README.txt in the folder of a role: what whoever runs the role does next, in which order.

[[nodiscard]] std::string readme(const RoleSettings& config);

}  // namespace sotto::apps
