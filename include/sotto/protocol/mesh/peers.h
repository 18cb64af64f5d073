// The roles that have links: the nodes of the topology, and the dealer.
//
// The roles are ordered: dealer or helper, party 0, ..., party n-1, then the nodes outside the parties, owners first.
// The earlier of two roles listens, and the later role connects. Nodes outside the parties need no port, and have no
// links with each other.
#pragma once

#include <string>
#include <vector>

#include "sotto/protocol/party/topology.h"

namespace sotto::net {

inline constexpr NodeId dealer_id = 0xff;
inline constexpr NodeId nobody = 0xfe;

// The topology's name of the role, "the dealer" for the dealer, and "nobody" for any other number.
[[nodiscard]] std::string peer_name(const Topology& topology, NodeId id);

// The role with this name, or `otherwise` if there is no such role.
[[nodiscard]] NodeId peer_of_name(const Topology& topology, const std::string& name, NodeId otherwise);

[[nodiscard]] bool is_role(const Topology& topology, NodeId id);

// True if the role may send an announcement: a compute party or an owner.
[[nodiscard]] bool announces(const Topology& topology, NodeId role);

[[nodiscard]] std::vector<NodeId> peers_of(const Topology& topology, NodeId self);

[[nodiscard]] bool connects_to(const Topology& topology, NodeId self, NodeId peer);

[[nodiscard]] bool listens(const Topology& topology, NodeId self);

}  // namespace sotto::net
