#include "sotto/protocol/preprocessing/randomness_by.h"

#include <fmt/format.h>

namespace sotto {

Topology topology_of(RandomnessBy by, std::size_t parties, bool outside_node, bool further_node,
                     const NodeNames& names) {
  const Cast& cast = cast_of(by);
  if (cast.has_helper) return Topology::with_helper(outside_node, further_node, names);
  if (!cast.has_dealer) return Topology::without_dealer(parties, outside_node, further_node, names);
  return outside_node ? Topology(parties, further_node, names) : Topology::parties_alone(parties, names);
}

std::string refusal_of(RandomnessBy by, std::size_t parties) {
  const Cast& cast = cast_of(by);
  if (cast.parties == 0 || cast.parties == parties) return {};
  return fmt::format(fmt::runtime(cast.needs), parties);
}

}  // namespace sotto
