// Who makes the correlated randomness of a run: a dealer, its three compute parties by replicated secrets
// (protocols/preprocessing/replicated/), its two compute parties by oblivious transfers
// (protocols/preprocessing/transfers/), or its two compute parties with a helper, who has the dealer's place, by
// replicated secrets of these three.
//
// With a dealer all compute parties but one may be corrupt, or the dealer. Of three parties one may be ("replicated"):
// any two that talk read everything. Of two parties one may be ("ot"). Of two parties and a helper one may be
// ("helper"): any two that talk read everything; a helper alone knows no mask and no coin, where a dealer knows all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sotto/protocol/party/topology.h"

namespace sotto {

enum class RandomnessBy : std::uint8_t { dealer, replicated, ot, helper };

// Who takes part in a run of that randomness, and what follows from it. Of static storage.
struct Cast {
  RandomnessBy by;
  const char* name;     // as settings have it
  std::size_t parties;  // compute parties, so many; 0: two or more
  const char* needs;    // refusal of another number of them, which stands for "{}"
  bool has_dealer;
  bool has_helper;
  bool may_have_owners;
  // Of each mask and coin, or of a part of it, at a compute party. Empty: the dealer has them.
  const char* pieces_of_a_party;
  std::size_t read_all;     // so many of the makers who talk read everything, whichever they are; 0: all of them
  bool multiplies_locally;  // else products of words take messages ahead
  bool shares_pieces;  // pieces of many labels are there at once; else those of one end before those of the next begin
  // In words: who draws masks, coins and keys.
  const char* masks_by;
  const char* coins_by;
  const char* keys_by;
  const char* in_short;  // who makes it, as the help of a command has it
  // What a byte of it takes of a core, of those that the maker with the most sends ahead or the dealer deals, and the
  // same of single steps that select the pulled arm first, which makes as many requests of fewer bytes each. Measured.
  double nanoseconds;
  double nanoseconds_selecting_first;
};

// In the order of RandomnessBy.
inline constexpr std::array casts{
    Cast{RandomnessBy::dealer, "dealer", 0, "", true, false, true, "", 0, true, true, "the dealer, from its seeds",
         "the dealer", "the dealer, one seed for each role", "a dealer", 1.5, 1.5},
    Cast{RandomnessBy::replicated, "replicated", 3,
         "\"replicated\" needs three compute parties, of which two are honest, and the run has {}: take \"dealer\", "
         "which withstands all but one",
         false, false, true, "two of the three pieces", 2, true, true,
         "each two of the three parties, from a key that they share", "the three parties together",
         "each party one, which it gives to one other",
         "three compute parties by themselves, of which one may be corrupt", 6, 14},
    Cast{RandomnessBy::ot, "ot", 2, "\"ot\" needs two compute parties, and the run has {}: take \"dealer\"", false,
         false, true, "one of the two pieces", 0, false, false, "each party its own part", "both parties together",
         "each party its own", "two by oblivious transfers", 4.5, 7},
    Cast{RandomnessBy::helper, "helper", 2,
         "\"helper\" is of two compute parties and a helper, and the run has {}: take \"dealer\", or \"replicated\" "
         "where there are three",
         false, true, false, "two of the three pieces", 2, true, true,
         "each two of parties and helper, from a key that they share", "both parties and the helper together",
         "parties and helper one each, given to one other",
         "two with a helper in the dealer's place, who knows no mask and no coin", 6, 9}};

static_assert(
    [] {
      for (std::size_t i = 0; i < casts.size(); ++i) {
        if (casts[i].by != static_cast<RandomnessBy>(i)) return false;
      }
      return true;
    }(),
    "a row of another place is that of another mode");

[[nodiscard]] constexpr const Cast& cast_of(RandomnessBy by) { return casts[static_cast<std::size_t>(by)]; }

constexpr auto names_of(RandomnessBy) {
  std::array<std::pair<RandomnessBy, const char*>, casts.size()> names{};
  for (std::size_t i = 0; i < casts.size(); ++i) names[i] = {casts[i].by, casts[i].name};
  return names;
}
// As settings have it.
[[nodiscard]] constexpr const char* name_of(RandomnessBy by) { return cast_of(by).name; }

// Of its nodes, without owners. Throws std::invalid_argument for a number of parties that there cannot be.
[[nodiscard]] Topology topology_of(RandomnessBy by, std::size_t parties, bool outside_node, bool further_node,
                                   const NodeNames& names = plain_names);

// Why so many compute parties cannot make it, and what can; empty where they can.
[[nodiscard]] std::string refusal_of(RandomnessBy by, std::size_t parties);

}  // namespace sotto
