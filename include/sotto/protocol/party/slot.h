// One message of a round. Every role registers the message with the same label, kind, ring and number of lanes.
//
// From the slots of a round each role computes which frames are sent and how long each frame is, even in a round in
// which the role takes no part.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/wire/label.h"

namespace sotto {

enum class SlotKind : std::uint8_t {
  open,       // from every compute party to every compute party
  open_to,    // from every compute party to one node, the endpoint
  broadcast,  // from one node, called the endpoint, to every compute party
  direct,     // from one node (the source) to another node (the endpoint)
};

// How shares of a slot combine: additive shares by sum in Z/2^bits, Boolean shares by XOR.
enum class Group : std::uint8_t { sum, exclusive_or };

struct Slot {
  Label label;
  SlotKind kind;
  unsigned bits;        // bits of the ring Z/2^bits, 1 to 64
  std::size_t lanes;    // number of ring elements
  NodeId endpoint = 0;  // the endpoint of open_to, broadcast and direct; 0 for open
  Group group = Group::sum;
  NodeId source = 0;  // the source of direct

  // A lane is sent in 1, 2, 4 or 8 bytes: the smallest size that holds a ring element.
  [[nodiscard]] constexpr std::size_t lane_bytes() const { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }
  [[nodiscard]] constexpr bool flows(const Topology& topology, NodeId from, NodeId to) const {
    if (from == to) return false;
    switch (kind) {
      case SlotKind::open:
        return topology.is_party(from) && topology.is_party(to);
      case SlotKind::open_to:
        return topology.is_party(from) && to == endpoint;
      case SlotKind::broadcast:
        return from == endpoint && topology.is_party(to);
      case SlotKind::direct:
        return from == source && to == endpoint;
    }
    return false;
  }
  [[nodiscard]] constexpr std::size_t payload_bytes(const Topology& topology, NodeId from, NodeId to) const {
    return flows(topology, from, to) ? lanes * lane_bytes() : 0;
  }
};

}  // namespace sotto
