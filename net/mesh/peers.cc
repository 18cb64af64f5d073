#include "sotto/protocol/mesh/peers.h"

#include <algorithm>

namespace sotto::net {
namespace {

// The dealer and a helper have the same position in the list of roles, so no address changes when a helper replaces the
// dealer.
int place(const Topology& topology, NodeId id) { return id == dealer_id || topology.is_helper(id) ? -1 : id; }

bool is_linked_with_all(const Topology& topology, NodeId id) {
  return id == dealer_id || topology.is_party(id) || topology.is_helper(id);
}

}  // namespace

std::string peer_name(const Topology& topology, NodeId id) {
  if (id == dealer_id) return "the dealer";
  return id < topology.nodes() ? topology.name(id) : "nobody";
}

NodeId peer_of_name(const Topology& topology, const std::string& name, NodeId otherwise) {
  for (NodeId id = 0; id < topology.nodes(); ++id) {
    if (peer_name(topology, id) == name) return id;
  }
  return name == peer_name(topology, dealer_id) ? dealer_id : otherwise;
}

bool is_role(const Topology& topology, NodeId id) {
  return (id == dealer_id && topology.has_dealer()) || id < topology.nodes();
}

bool announces(const Topology& topology, NodeId role) { return topology.is_party(role) || topology.is_owner(role); }

std::vector<NodeId> peers_of(const Topology& topology, NodeId self) {
  std::vector<NodeId> peers;
  for (NodeId id = 0; id < topology.nodes(); ++id) {
    if (id == self) continue;
    if (is_linked_with_all(topology, self) || is_linked_with_all(topology, id)) peers.push_back(id);
  }
  if (self != dealer_id && topology.has_dealer()) peers.push_back(dealer_id);
  return peers;
}

bool connects_to(const Topology& topology, NodeId self, NodeId peer) {
  return place(topology, self) > place(topology, peer);
}

bool listens(const Topology& topology, NodeId self) {
  const std::vector<NodeId> peers = peers_of(topology, self);
  return std::any_of(peers.begin(), peers.end(), [&](NodeId peer) { return connects_to(topology, peer, self); });
}

}  // namespace sotto::net
