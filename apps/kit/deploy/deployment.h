// A set of configs for a run whose roles are on several machines: `sotto init`.
//
// Every role gets a folder with a config and a README of its next steps. The folders go to the
// organisations; each makes its private key where it will use it, so that by default the set has no
// keys and [trust] is still empty.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sotto/apps/kit/deploy/config.h"

namespace sotto::apps {

inline constexpr unsigned first_default_port = 7100;

struct DeploymentOptions {
  RunConfig run;  // without session and trust
  // "party_0", ..., "dealer", "active", "passive_1" -> host:port; all that listen, or none.
  std::map<std::string, std::string> hosts;
};

// The name of a role's folder and of its key in tables: "party_0", "dealer", "actor".
[[nodiscard]] std::string folder_name(const RoleConfig& config);

// One config a role, in the order of run_roles(), with a fresh session. Without
// hosts all listen on localhost, from port 7100 on. Paths are relative to the role's folder.
// Throws InputError that names the flag of `sotto init`.
[[nodiscard]] std::vector<RoleConfig> plan_deployment(const DeploymentOptions& options);

// From "party_0=a.example:7100", the argument of --host, into `hosts`. Throws InputError.
void add_host(const std::string& argument, std::map<std::string, std::string>& hosts);

// Makes `out` with a folder for each role, all of mode 0700, the config.toml and README.txt of the
// role in it. With insecure_shared_keys in [run] it also makes every role's key.pem (0600) and puts
// the fingerprints into [trust] of all. Throws InputError if `out` exists and has content,
// ResourceError if it cannot be written; nothing stays behind then.
void write_deployment(std::vector<RoleConfig> roles, const std::filesystem::path& out);

}  // namespace sotto::apps
