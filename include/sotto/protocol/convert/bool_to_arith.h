// bool_to_arith (B2A): from XOR to additive shares, with daBits.
//
// Functionality   [b], w bits a lane, XOR-shared -> sum of b_i 2^i in Z/2^k, additively shared;
//                 w = 1 is a single bit. A daBit is a uniform bit r shared both ways.
// How             1. Open c = b ^ r, all bits in one round.
//                 2. b_i = c_i + (1 - 2 c_i) r_i, so [b_i] is [r_i] or 1 - [r_i]; bit i enters the sum shifted by i,
//                    and so its r_i is shared in Z/2^(k-i) only.
//                 [daBits: Rotaru, Wood, INDOCRYPT 2019]
// Costs           `bool_to_arith` | 1 | w bits a lane, packed | daBits: k - i bits for bit i
// Rounds, bytes   1 round, w bits a lane to each party, packed into words of 8 bytes; dealt: k - i
//                 bits for bit i, a lane (k for a single bit).
// Primitive       what the roles do differs
// Who sees what   c is uniform. The output's shares are fresh: the dealt sharings of r are uniform.
// Ranges          1 <= k <= 64 (std::invalid_argument); bits from k on are dropped.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// The result has no fraction bits.
[[nodiscard]] Task<Arith> bool_to_arith(Party& party, Bool value, unsigned ring_bits, Label label);

}  // namespace sotto::protocols
