#include "sotto/protocol/party/topology.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto {

Topology::Topology(std::size_t parties, bool dealer, bool outside_node, bool further_node, const NodeNames& names)
    : names_(&names), parties_(parties), dealer_(dealer), outside_(outside_node), further_(further_node) {
  if (parties < 2 || parties > max_parties) {
    throw std::invalid_argument(fmt::format("a run has 2 to {} {}, not {}", max_parties, names.parties, parties));
  }
}

Topology Topology::with_helper(bool outside_node, bool further_node, const NodeNames& names) {
  Topology topology = without_dealer(2, outside_node, further_node, names);
  topology.helper_ = true;
  return topology;
}

Topology Topology::with_owners(std::size_t owners) const {
  if (owners > max_owners || (owners > 0 && parties_ + owners > max_owners_and_parties)) {
    throw std::invalid_argument(fmt::format("a run has at most {} owners, and {} {} and owners together, not {} and {}",
                                            max_owners, max_owners_and_parties, names_->parties, parties_, owners));
  }
  if (owners > 0 && helper_) throw std::invalid_argument("a run with a helper has no owners");
  Topology topology = *this;
  topology.owners_ = owners;
  return topology;
}

std::string Topology::name(NodeId node) const {
  if (node == 0) return names_->first_party;
  if (is_party(node)) return fmt::format("{} {}", names_->other_party, node);
  if (is_helper(node)) return names_->helper;
  if (is_owner(node)) return fmt::format("{} {}", names_->owner, node - parties_);
  return outside_ && node == outside_node() ? names_->outside : names_->further;
}

}  // namespace sotto
