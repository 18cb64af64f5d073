#include "sotto/protocol/preprocessing/randomness_by.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto {

Topology topology_without_dealer(RandomnessBy by, std::size_t parties, bool outside_node, bool further_node,
                                 const NodeNames& names) {
  if (by == RandomnessBy::helper) return Topology::with_helper(outside_node, further_node, names);
  return Topology::without_dealer(parties, outside_node, further_node, names);
}

const char* name_of(RandomnessBy by) {
  for (const auto& [value, name] : names_of(by)) {
    if (value == by) return name;
  }
  throw std::invalid_argument("no such randomness");
}

std::string refusal_of(RandomnessBy by, std::size_t parties) {
  if (by == RandomnessBy::ot && parties != 2) {
    return fmt::format("\"ot\" needs two compute parties, and the run has {}: take \"dealer\"", parties);
  }
  if (by == RandomnessBy::helper && parties != 2) {
    return fmt::format(
        "\"helper\" is of two compute parties and a helper, and the run has {}: take \"dealer\", or \"replicated\" "
        "where there are three",
        parties);
  }
  if (by == RandomnessBy::replicated && parties != 3) {
    return fmt::format(
        "\"replicated\" needs three compute parties, of which two are honest, and the run has {}: take "
        "\"dealer\", which withstands all but one",
        parties);
  }
  return {};
}

}  // namespace sotto
