// mask: turns shares into a masked value.
//
// Functionality   [z] -> D = z + m public, [m] shared, m uniform, fresh and known to the dealer.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes.
//                 A ring element has w bytes.
// Costs           `mask` | 1 | 8 L | 0
//                 `mask_index`, Z/2^b | 1 | w L | 0
// Views           D, which the dealer does not see, is uniform and independent of z, since no group of n-1 parties
//                 knows m.
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

// Masks a value of Z/2^bits, as an index into a table of 2^bits entries.
[[nodiscard]] Task<MaskedIndex> mask_index(Party& party, Arith value, Label label);

// share_input: a node shares its own numbers as a masked value.
//
// Functionality   the owner's x -> D = x + m public, m known to the owner and the dealer.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `share_input`, owner a party | 1 | owner: 8 L to each party | 0
//                 `share_input`, owner outside | 1 | owner: 8 L to each party | 8 L
// Views           D is uniform to all except the owner; parties that collude without the owner know nothing of m.
// Ranges          any 64-bit words; callers check bounds before sharing.

// The numbers to share: all roles know the shape, and only the owner has words.
struct Input {
  Shape shape;
  unsigned scale = 0;
  Words words;
};

// At the owner, fill(std::span<std::uint64_t>) writes the words.
template <class Fill>
[[nodiscard]] Input input_at(const Party& party, NodeId owner, Shape shape, unsigned scale, Fill&& fill) {
  Input input{shape, scale, {}};
  if (party.is(owner)) {
    input.words.resize(shape.lanes());
    fill(std::span<std::uint64_t>(input.words));
  }
  return input;
}

// Throws std::invalid_argument at the owner unless there is one word per lane.
[[nodiscard]] Task<Masked> share_input(Party& party, NodeId owner, Input input, Label label);

}  // namespace sotto::protocols
