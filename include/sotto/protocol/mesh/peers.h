// The roles that have links: the nodes of the topology, and the dealer.
//
// The direction of each connection is fixed by the order of the roles: dealer or helper, party 0, ..., party n-1, then
// the nodes outside the parties, owners first. The earlier of two roles listens, and the later role connects. So a role
// has at most one port. Nodes outside the parties may be behind a firewall, and have no port. Two nodes outside the
// parties have no link with each other.
#pragma once

#include <string>
#include <vector>

#include "sotto/protocol/party/topology.h"

namespace sotto::net {

inline constexpr NodeId dealer_id = 0xff;
inline constexpr NodeId nobody = 0xfe;

// The topology's name of the role, "the dealer" for the dealer, and "nobody" for any other number.
[[nodiscard]] std::string peer_name(const Topology& topology, NodeId id);

// The role with the name `name`, or `otherwise` if there is no such role.
[[nodiscard]] NodeId peer_of_name(const Topology& topology, const std::string& name, NodeId otherwise);

// True if the topology has a role with the number `id`.
[[nodiscard]] bool is_role(const Topology& topology, NodeId id);

// True if the role may announce what it brings: a compute party or an owner.
[[nodiscard]] bool announces(const Topology& topology, NodeId role);

// The roles that `self` has a link with, in order.
[[nodiscard]] std::vector<NodeId> peers_of(const Topology& topology, NodeId self);

// True if `self` connects and `peer` listens.
[[nodiscard]] bool connects_to(const Topology& topology, NodeId self, NodeId peer);

// True if any role connects to `self`.
[[nodiscard]] bool listens(const Topology& topology, NodeId self);

}  // namespace sotto::net
