// arith_to_bool (A2B): additive shares to XOR shares, for any number of parties.
//
// Functionality   [z] in Z/2^w -> the w bits of z, XOR-shared.
// How             The share of each party becomes an XOR-shared value without messages: the party uses its share as the
//                 XOR share, and all other parties use zero. A circuit adds up the n XOR-shared values. [ABY, NDSS
//                 2015, for two parties; adder.h]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `arith_to_bool`, 64 bits | 7 for n = 2 | ANDs only | ANDs only
// Rounds, bytes   carry_save_levels(n) + adder_rounds(w) rounds.
// Primitive       the code takes different steps at different roles
// Views           Openings are uniform (bits.h). Each output share combines a fresh share with bits that the party
//                 computes locally. The XOR of these local bits over all parties is a linear function of the shares of
//                 z. So a caller that opens the output must first refresh the shares of z (open.h).
// Ranges          Any ring of 1 to 64 bits; the result has no scale.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Bool> arith_to_bool(Party& party, Arith value, Label label);

// Only the top bit of each lane: [z < 0] of a signed z. For 64 bits, sign_of needs as many rounds as arith_to_bool, and
// less than a third of its bytes.
[[nodiscard]] Task<Bool> sign_of(Party& party, Arith value, Label label);

// bool_to_arith (B2A): XOR shares to additive shares, with daBits.
//
// Functionality   [b], w bits per lane, XOR-shared -> sum of b_i 2^i in Z/2^k, additively shared. A daBit is a uniform
//                 bit r that is shared both by XOR and additively.
// How             1. The parties open c = b ^ r, all bits in one round.
//                 2. b_i = c_i + (1 - 2 c_i) r_i, so [b_i] is [r_i] or 1 - [r_i]. Bit i enters the sum shifted by i, so
//                    r_i is shared in Z/2^(k-i) only.
//                 [daBits: Rotaru, Wood, INDOCRYPT 2019]
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `bool_to_arith` | 1 | w bits a lane, packed | daBits: k - i bits for bit i
// Views           c is uniform. The output's shares are fresh, because the dealt sharings of r are uniform.
// Ranges          1 <= k <= 64, else std::invalid_argument. The bits of the value from bit k on are dropped.

// The result has no fraction bits.
[[nodiscard]] Task<Arith> bool_to_arith(Party& party, Bool value, unsigned ring_bits, Label label);

}  // namespace sotto::protocols
