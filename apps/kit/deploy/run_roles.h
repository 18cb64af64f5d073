// All roles of a run: their names in configs, their numbers on the links, who of them listens, and
// the subcommand that runs each.
#pragma once

#include <string>
#include <vector>

#include "sotto/apps/kit/deploy/config.h"

namespace sotto::apps {

struct RunRole {
  Role role;
  std::size_t id;   // of a party or a passive participant; 0 of others
  NodeId node;      // on the links (net/mesh/peers.h)
  std::string key;  // in [peers] and [trust]: "party_0", "dealer", "passive_1"
  bool listens;     // another role connects to it
};

// The private bandit: parties, dealer, actor, rewarder. O3M: the active participant, the passive
// ones, the mask generator where it is a third party.
[[nodiscard]] std::vector<RunRole> run_roles(const RunConfig& run);

// Throws std::invalid_argument if the run has no such role.
[[nodiscard]] RunRole own_role(const RoleConfig& config);

// The keys of all roles, and of those that listen.
[[nodiscard]] std::vector<std::string> role_names(const RunConfig& run);
[[nodiscard]] std::vector<std::string> listening_roles(const RunConfig& run);

// The words after `sotto` that run the role: {"party"}, {"o3m", "role"}.
[[nodiscard]] std::vector<std::string> role_command(const RoleConfig& config);

// In a sentence: "party 1", "the actor", "passive participant 2", "the mask generator".
[[nodiscard]] std::string spoken_name(const RoleConfig& config);

}  // namespace sotto::apps
