// Who makes the correlated randomness of a run: a dealer, its three compute parties by replicated secrets
// (protocols/preprocessing/replicated/), its two compute parties by oblivious transfers
// (protocols/preprocessing/transfers/), or its two compute parties with a helper, who has the dealer's place, by replicated
// secrets of these three.
//
// With a dealer all compute parties but one may be corrupt, or the dealer. Of three parties one may be ("replicated"): any
// two that talk read everything. Of two parties one may be ("ot"). Of two parties and a helper one may be ("helper"): any
// two that talk read everything; a helper alone knows no mask and no coin, where a dealer knows all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sotto/protocol/party/topology.h"

namespace sotto {

enum class RandomnessBy : std::uint8_t { dealer, replicated, ot, helper };
constexpr auto names_of(RandomnessBy) {
  return std::array{std::pair{RandomnessBy::dealer, "dealer"}, std::pair{RandomnessBy::replicated, "replicated"},
                    std::pair{RandomnessBy::ot, "ot"}, std::pair{RandomnessBy::helper, "helper"}};
}
// Of nodes that make it without a dealer.
[[nodiscard]] Topology topology_without_dealer(RandomnessBy by, std::size_t parties, bool outside_node,
                                               bool further_node, const NodeNames& names = plain_names);
// As settings have it. Throws std::invalid_argument.
[[nodiscard]] const char* name_of(RandomnessBy by);

// Why so many compute parties cannot make it, and what can; empty where they can.
[[nodiscard]] std::string refusal_of(RandomnessBy by, std::size_t parties);

}  // namespace sotto
