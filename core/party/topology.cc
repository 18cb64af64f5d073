#include "core/party/topology.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto {

Topology::Topology(std::size_t parties, bool separate_rewarder)
    : parties_(parties), separate_rewarder_(separate_rewarder) {
  if (parties < 2 || parties > max_parties) {
    throw std::invalid_argument(
        fmt::format("a run has 2 to {} compute parties, not {}", max_parties, parties));
  }
}

std::string Topology::name(NodeId node) const {
  if (is_party(node)) return fmt::format("party {}", node);
  return node == actor() ? "actor" : "rewarder";
}

}  // namespace sotto
