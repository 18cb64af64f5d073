// ANDs and openings of replicated bits.
//
// Functionality   and_bits    [x & y], 64 lanes a word
//                 open_bits   every party learns the bits
// How             AND: party i computes its part of x & y from the pieces that it has, and adds its term of a fresh
//                 sharing of zero. It sends the result to the party before it, which needs the result as its next
//                 piece. Opening: each party sends its own piece to the party after it, which lacks that piece. [Araki
//                 et al., CCS 2016, section 2.2]
// Rounds, bytes   1 round, each party sends 8 bytes for 64 lanes of a plane.
// Views           The message of party i in an AND is masked by F(K_i) ^ F(K_(i+1)). Its receiver, party i - 1, lacks
//                 K_(i+1) and so sees a uniform word. An opening shows the piece that follows from the bits and the
//                 receiver's own two pieces.
// Throws          std::invalid_argument if sizes differ.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `keys` must outlive the task.
[[nodiscard]] Task<BitPieces> and_bits(Party& party, PairKeys& keys, BitPieces x, BitPieces y, Label label);
// The opened bits, a word for 64 lanes, at each party; empty elsewhere.
[[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label);

// Flips every bit, in piece 0.
[[nodiscard]] BitPieces complement(const PairKeys& keys, BitPieces bits);

// From replicated bits to numbers in a ring of any width.
//
// Functionality   bits_as_shares   each bit b as additive shares in Z/2^width, of two parties; the third has zeros
//                 replicate        additive shares of those two parties as WordPieces
//                 bits_as_numbers  both, one after the other
// How             `lead` is one of the parties, `second` the party after it, `third` the party before it. Lead knows
//                 the bit v = b_lead ^ b_second of two pieces. Second and third know the third piece s, and b = v ^ s =
//                 (1 - 2 s) v + s. Lead splits v into v0 from key `lead`, which third has, and v1 = v - v0, which lead
//                 sends to second. So second has (1 - 2 s) v1 + s, and third (1 - 2 s) v0. To replicate a1 + a2, two
//                 pieces come from keys. The third piece is (a1 - y_second) + (a2 - y_lead): second and third tell each
//                 other their halves. [conversions as in ABY3, CCS 2018, section 5; the one-message form is our own]
// Rounds, bytes   1 round: lead sends the sum of `width` bits a lane, packed into words of 8 bytes, to second. Then for
//                 replicate 1 round, in which second and third each send the same amount to each other.
// Views           v1 is masked by F(K_lead), which second lacks; a1 - y_second by F(K_second), which third lacks; a2 -
//                 y_lead by F(K_lead), which second lacks. All are uniform to their receivers.
// Throws          std::invalid_argument if planes have different numbers of lanes, or there are not as many widths as
//                 bits.

// `keys` must outlive each task. Returns one Additive for each plane of `bits`.
[[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                                        RingWidths widths, Label label);
// `shares` are results of bits_as_shares, or sums of such results; their words may exceed the ring.
[[nodiscard]] Task<PoolVector<WordPieces>> replicate(Party& party, PairKeys& keys, NodeId lead,
                                                     PoolVector<Additive> shares, std::size_t lanes, RingWidths widths,
                                                     Label label);
[[nodiscard]] Task<PoolVector<WordPieces>> bits_as_numbers(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                                           RingWidths widths, Label label);

// The bits of a replicated number that nobody knows.
//
// Functionality   summand_bits   u and v with number = u + v mod 2^bits, as shared bits
//                 bits_of        the bits of number + carry mod 2^bits
// How             Lead knows u, the sum of its two pieces, and the two others know v, the third piece. The bits of u
//                 are shared by XOR with a word of key `lead`, and the bits of v are shared unchanged. A ripple adder
//                 (circuits.h) gives the bits of the sum. [roles as in ABY3, CCS 2018, section 5.3]
// Rounds, bytes   summand_bits: 1 round, lead sends second `bits` planes. bits_of: bits - 1 ANDs and rounds more.
// Views           The planes that lead sends are masked by words of K_lead, which second lacks.

struct SummandBits {
  NumberPieces u, v;
};

// `keys` must outlive each task.
[[nodiscard]] Task<SummandBits> summand_bits(Party& party, PairKeys& keys, NodeId lead, WordPieces number, Label label);
[[nodiscard]] Task<NumberPieces> bits_of(Party& party, PairKeys& keys, NodeId lead, WordPieces number, BitPieces carry,
                                         Label label);

}  // namespace sotto::protocols
