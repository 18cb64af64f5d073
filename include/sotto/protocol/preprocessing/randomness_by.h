// The makers of a run's correlated randomness are one of:
// - a dealer,
// - the three compute parties, by replicated secrets (protocols/preprocessing/replicated/),
// - the two compute parties, by oblivious transfers (protocols/preprocessing/transfers/),
// - the two compute parties and a helper, which takes the place of the dealer, by replicated secrets of the three
//   roles.
//
// With a dealer, either the dealer or all compute parties except one may be corrupt. In all other cases one maker may
// be corrupt, and any two makers that collude read everything. A dealer knows all masks and coins; a helper by itself
// knows none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sotto/protocol/party/topology.h"

namespace sotto {

enum class RandomnessBy : std::uint8_t { dealer, replicated, ot, helper };

// Facts about a run with one kind of maker.
struct Cast {
  RandomnessBy by;
  const char* name;
  std::size_t parties;  // compute parties; 0: two or more
  const char* needs;    // the error for a wrong number of parties; the number replaces "{}"
  bool has_dealer;
  bool has_helper;
  bool may_have_owners;
  // How many pieces of each mask and coin a compute party knows, such as "two of the three pieces"; empty with a
  // dealer.
  const char* pieces_of_a_party;
  std::size_t read_all;     // makers that must collude to read everything; 0: all
  bool multiplies_locally;  // false: products of words need messages before the run
  // True if the roles may make the randomness of several programs at the same time; false if only one after another.
  bool shares_pieces;
  // The roles that draw masks, coins and keys.
  const char* masks_by;
  const char* coins_by;
  const char* keys_by;
  const char* in_short;
  // Measured: nanoseconds of one core for each byte that the dealer deals, or that the busiest maker sends.
  // nanoseconds_selecting_first is for runs that update one event at a time and only the pulled arm. Each step of these
  // runs first selects the values of the pulled arm.
  double nanoseconds;
  double nanoseconds_selecting_first;
};

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
[[nodiscard]] constexpr const char* name_of(RandomnessBy by) { return cast_of(by).name; }

// The topology of a run without owners. Throws std::invalid_argument for an impossible number of parties.
[[nodiscard]] Topology topology_of(RandomnessBy by, std::size_t parties, bool outside_node, bool further_node,
                                   const NodeNames& names = plain_names);

// Why this number of compute parties cannot make the randomness; empty if they can.
[[nodiscard]] std::string refusal_of(RandomnessBy by, std::size_t parties);

}  // namespace sotto
