#include "sotto/core/party/topology.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto {

Topology::Topology(const NodeNames* names, std::size_t parties, bool further_node)
    : names_(names), parties_(parties), further_(further_node) {
  if (parties < 2 || parties > max_parties) {
    throw std::invalid_argument(fmt::format("a run has 2 to {} {}, not {}", max_parties,
                                            has_dealer() ? "compute parties" : names_->parties, parties));
  }
}

Topology::Topology(std::size_t parties, bool separate_rewarder) : Topology(nullptr, parties, separate_rewarder) {}

Topology Topology::without_dealer(std::size_t parties, bool further_node, const NodeNames& names) {
  return Topology(&names, parties, further_node);
}

std::string Topology::name(NodeId node) const {
  if (!has_dealer()) {
    if (!is_party(node)) return names_->further;
    return node == 0 ? names_->first_party : fmt::format("{} {}", names_->other_party, node);
  }
  if (is_party(node)) return fmt::format("party {}", node);
  return node == actor() ? "actor" : "rewarder";
}

}  // namespace sotto
