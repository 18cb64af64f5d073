#include "sotto/core/party/topology.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto {

Topology::Topology(Cast cast, std::size_t parties, bool one_more)
    : cast_(cast), parties_(parties), one_more_(one_more) {
  if (parties < 2 || parties > max_parties) {
    throw std::invalid_argument(fmt::format("a run has 2 to {} {}, not {}", max_parties,
                                            has_dealer() ? "compute parties" : "participants",
                                            parties));
  }
}

Topology::Topology(std::size_t parties, bool separate_rewarder)
    : Topology(Cast::sharing, parties, separate_rewarder) {}

Topology Topology::masking(std::size_t participants, bool third_party_generator) {
  return Topology(Cast::masking, participants, third_party_generator);
}

std::string Topology::name(NodeId node) const {
  if (!has_dealer()) {
    if (!is_party(node)) return "mask generator";
    return node == 0 ? "active participant" : fmt::format("passive participant {}", node);
  }
  if (is_party(node)) return fmt::format("party {}", node);
  return node == actor() ? "actor" : "rewarder";
}

}  // namespace sotto
