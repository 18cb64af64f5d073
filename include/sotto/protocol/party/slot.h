// One message of a round. Every role registers every slot, so each role can compute which frames are sent, and their
// lengths.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/wire/label.h"

namespace sotto {

enum class SlotKind : std::uint8_t {
  open,       // from every compute party to every compute party
  open_to,    // from every compute party to the endpoint
  broadcast,  // from the endpoint to every compute party
  direct,     // from the source to the endpoint
};

// Shares are added in Z/2^bits, or combined by XOR.
enum class Group : std::uint8_t { sum, exclusive_or };

struct Slot {
  Label label;
  SlotKind kind;
  unsigned bits;  // of the ring Z/2^bits, 1 to 64
  std::size_t lanes;
  NodeId endpoint = 0;  // 0 for open
  Group group = Group::sum;
  NodeId source = 0;  // only for direct

  // The smallest of 1, 2, 4 and 8 bytes that fits a ring element.
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
