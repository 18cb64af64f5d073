// arith_to_bool (A2B): from additive to XOR shares, for any number of parties.
//
// Functionality   [z] in Z/2^w -> the w bits of z, XOR-shared.
// How             Party p knows its own share, so this share is XOR-shared at no cost: party p holds the share, and all
//                 other parties hold zero. A circuit adds up the n shares: carry-save to two words, then parallel
//                 prefix. [ABY, NDSS 2015, for two parties; adder.h]
// Costs           `arith_to_bool`, 64 bits | 7 for n = 2 | ANDs only | ANDs only
// Rounds, bytes   carry_save_levels(n) + adder_rounds(w) rounds: 7 rounds for two parties and 64 bits. Only ANDs send
//                 messages (adder.h). Only AND triples are dealt.
// Primitive       different roles run different steps
// Views           openings are uniform (bits.h). Each output share combines a fresh share with bits that the party
//                 computes by itself. Over all parties, these bits XOR to a linear function of [z]. Therefore an
//                 opening of the output needs fresh shares of z, as an opening of z does (open.h).
// Ranges          any ring of 1 to 64 bits; the scale is dropped.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Bool> arith_to_bool(Party& party, Arith value, Label label);

// Only the top bit of each lane, one bit wide: [z < 0] of a signed z. For 64 bits, sign_of takes as many rounds as
// arith_to_bool, and less than a third of the bytes (a carry tree instead of all carries).
[[nodiscard]] Task<Bool> sign_of(Party& party, Arith value, Label label);

// bool_to_arith (B2A): from XOR to additive shares, with daBits.
//
// Functionality   [b], w bits per lane, XOR-shared -> sum of b_i 2^i in Z/2^k, additively shared; w = 1 is a single
//                 bit. A daBit is a uniform bit r that is shared both by XOR and additively.
// How             1. Open c = b ^ r, all bits in one round.
//                 2. b_i = c_i + (1 - 2 c_i) r_i, so [b_i] is [r_i] or 1 - [r_i]. Bit i enters the sum shifted by i, so
//                    r_i is shared in Z/2^(k-i) only.
//                 [daBits: Rotaru, Wood, INDOCRYPT 2019]
// Costs           `bool_to_arith` | 1 | w bits a lane, packed | daBits: k - i bits for bit i
// Rounds, bytes   1 round, w bits per lane to each party, packed into words of 8 bytes. Dealt per lane: k - i bits for
//                 bit i (k bits for a single bit).
// Views           c is uniform. The output's shares are fresh: the dealt sharings of r are uniform.
// Ranges          1 <= k <= 64 (std::invalid_argument); bits from k on are dropped.

// The result has no fraction bits.
[[nodiscard]] Task<Arith> bool_to_arith(Party& party, Bool value, unsigned ring_bits, Label label);

}  // namespace sotto::protocols
