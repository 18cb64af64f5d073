// Comparison by circuit: the path that needs AND triples and daBits only, and the cross-check of the look-ups of
// below_zero.h.
//
// Functionality   [z] in Z/2^w, read as signed -> [z < 0] in Z/2^k, additively shared.
// Costs           `below_zero_by_circuit`, 64 bits | 8 for n = 2 | ANDs and one bit | ANDs and one daBit
// Rounds, bytes   those of sign_of (arith_to_bool.h) and one for the bit: 8 for two parties and 64
//                 bits, where the look-up takes one.
// Who sees what   openings are uniform (bit_and.h, bool_to_arith.h); the output's shares are fresh.
// Ranges          all of Z/2^w; less_than_by_circuit: |x - y| < 2^63 units.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Arith> below_zero_by_circuit(Party& party, Arith value, unsigned result_bits, Label label);

// [x < y] as a bit in Z/2^64. Shapes, scales and rings must agree (std::invalid_argument).
[[nodiscard]] Task<Arith> less_than_by_circuit(Party& party, Arith x, Arith y, Label label);

}  // namespace sotto::protocols
