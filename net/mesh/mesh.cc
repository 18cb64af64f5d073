#include "sotto/net/mesh/mesh.h"

#include <stdexcept>

namespace sotto::net {

Link& Mesh::link(NodeId peer) const {
  for (const auto& link : links_) {
    if (link->peer() == peer) return *link;
  }
  throw std::invalid_argument("this role has no link with " + peer_name(topology_, peer));
}

}  // namespace sotto::net
