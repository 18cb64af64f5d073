// mask: turns shares into a masked value. Products of masked values need no message.
//
// Functionality   [z] -> D = z + m public, [m] shared, m uniform, fresh and known to the dealer.
// Costs           `mask` | 1 | 8 L | 0
//                 `mask_index`, Z/2^b | 1 | w L | 0
// Rounds, bytes   1 round; each party sends w bytes per lane to each other party (8 bytes for mask). Nothing is dealt,
//                 because the mask is the expansion of the parties' seeds.
// Views           D is uniform and independent of z, since no group of n-1 parties knows m. The dealer does not see D.
#pragma once

#include <cstdint>
#include <span>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// Throws std::invalid_argument unless `value` is in Z/2^64.
[[nodiscard]] Task<Masked> mask(Party& party, Arith value, Label label);

// Masks a value of a small ring, so that the value can index a table of 2^bits entries (protocols/lookup).
[[nodiscard]] Task<MaskedIndex> mask_index(Party& party, Arith value, Label label);

// share_input: the owner of some numbers brings the numbers into the computation, masked.
//
// Functionality   the owner's x -> D = x + m public, m known to the owner and the dealer.
// Costs           `share_input`, owner a party | 1 | owner: 8 L to each party | 0
//                 `share_input`, owner outside | 1 | owner: 8 L to each party | 8 L
// Rounds, bytes   1 round; the owner sends 8 bytes per lane to each compute party. Nothing is dealt if the owner is a
//                 compute party: the mask is the owner's own share, and all other parties hold zero. The mask of an
//                 outside owner is dealt to the parties: 8 bytes per lane.
// Views           D is uniform to all except the owner. If n-1 parties collude and the owner is not one of them, they
//                 know nothing of m.
// Ranges          any 64-bit words; callers check bounds before sharing (protocols never look at
//                 data).

// The numbers to share. All roles have the shape, and only the owner has the words.
struct Input {
  Shape shape;
  unsigned scale = 0;
  Words words;
};

// An input whose words the function fill(std::span<std::uint64_t>) writes. The function `fill` runs at the owner only.
template <class Fill>
[[nodiscard]] Input input_at(const Party& party, NodeId owner, Shape shape, unsigned scale, Fill&& fill) {
  Input input{shape, scale, {}};
  if (party.is(owner)) {
    input.words.resize(shape.lanes());
    fill(std::span<std::uint64_t>(input.words));
  }
  return input;
}

// Throws std::invalid_argument at the owner unless there are as many words as lanes.
[[nodiscard]] Task<Masked> share_input(Party& party, NodeId owner, Input input, Label label);

}  // namespace sotto::protocols
