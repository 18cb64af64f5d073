#include "sotto/apps/kit/deploy/run_roles.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sotto/net/mesh/peers.h"

namespace sotto::apps {

std::vector<RunRole> run_roles(const RunConfig& run) {
  const Topology topology = run.topology();
  std::vector<RunRole> roles;
  const auto add = [&](Role role, std::size_t id, std::size_t node) {
    const auto number = static_cast<NodeId>(node);
    roles.push_back(RunRole{role, id, number, peer_key(role, id), net::listens(topology, number)});
  };
  if (run.o3m) {
    add(Role::active, 0, 0);
    for (std::size_t id = 1; id < run.parties; ++id) add(Role::passive, id, id);
    if (!run.o3m->mask_generator) add(Role::mask_generator, 0, topology.further_node());
    return roles;
  }
  for (std::size_t id = 0; id < run.parties; ++id) add(Role::party, id, id);
  add(Role::dealer, 0, net::dealer_id);
  add(Role::actor, 0, topology.actor());
  if (run.separate_rewarder) add(Role::rewarder, 0, topology.rewarder());
  return roles;
}

RunRole own_role(const RoleConfig& config) {
  const std::string key = peer_key(config.role, config.id);
  for (RunRole& role : run_roles(config.run)) {
    if (role.key == key) return std::move(role);
  }
  throw std::invalid_argument("the run has no role " + key);
}

std::vector<std::string> role_names(const RunConfig& run) {
  std::vector<std::string> names;
  for (const RunRole& role : run_roles(run)) names.push_back(role.key);
  return names;
}

std::vector<std::string> listening_roles(const RunConfig& run) {
  std::vector<std::string> names;
  for (const RunRole& role : run_roles(run)) {
    if (role.listens) names.push_back(role.key);
  }
  return names;
}

std::vector<std::string> role_command(const RoleConfig& config) {
  if (config.run.o3m) return {"o3m", "role"};
  return {config.role == Role::party ? "party" : peer_key(config.role, 0)};
}

std::string spoken_name(const RoleConfig& config) {
  const bool numbered = config.role == Role::party || config.role == Role::passive;
  return (numbered ? "" : "the ") + config.name();
}

}  // namespace sotto::apps
