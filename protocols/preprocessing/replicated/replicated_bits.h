// ANDs and openings of replicated bits.
//
// Functionality   and_bits    [x & y], 64 lanes a word
//                 open_bits   every party learns the bits
// How             AND: party i computes its part of x & y from its pieces, and adds its term of a fresh sharing of
//                 zero.
//                 Party i sends the result to party i - 1 as that party's next piece. Opening: each party sends its own
//                 piece to the party after it, which lacks that piece. [Araki et al., CCS 2016, section 2.2]
// Rounds, bytes   1 round, in which each party sends 8 bytes for every 64 lanes of a plane.
// Views           The message of party i in an AND is masked by F(K_i) ^ F(K_(i+1)). The receiver, party i - 1, lacks
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

[[nodiscard]] Task<BitPieces> and_bits(Party& party, PairKeys& keys, BitPieces x, BitPieces y, Label label);
// The bits at each party, 64 lanes in a word; empty at other roles.
[[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label);

// Flips all bits of piece 0.
[[nodiscard]] BitPieces complement(const PairKeys& keys, BitPieces bits);

// Turns replicated bits into numbers in a ring of any width.
//
// Functionality   bits_as_shares   each bit b in Z/2^width, as additive shares of the second and the third party; the
//                                  lead party has zeros
//                 replicate        additive shares of the second and the third party become WordPieces
//                 bits_as_numbers  bits_as_shares, and then replicate
// How             `second` is the party after the lead party, and `third` the party before it. The lead party knows v =
//                 b_lead ^ b_second, the XOR of two pieces of the bit. The second and the third party know the third
//                 piece s, and b = v ^ s = (1 - 2 s) v + s. The lead party splits v into v0 and v1 = v - v0. The third
//                 party has v0 from key `lead`, and the lead party sends v1 to the second party. So the second party
//                 computes (1 - 2 s) v1 + s, and the third party (1 - 2 s) v0. To replicate a1 + a2, two pieces come
//                 from keys. The second party computes a1 - y_second and the third party a2 - y_lead, and they send
//                 each other these halves. The third piece is the sum of the halves. [conversions as in ABY3, CCS 2018,
//                 section 5; the one-message form is our own]
// Rounds, bytes   1 round. The lead party sends the second party one ring element for each lane and plane, packed by
//                 bits into words of 8 bytes. Then replicate() takes 1 round. In this round the second and the third
//                 party send each other messages of the same size.
// Views           v1 is masked by F(K_lead), which the second party lacks. a1 - y_second is masked by F(K_second),
//                 which the third party lacks. a2 - y_lead is masked by F(K_lead), which the second party lacks. All
//                 messages are uniform to their receivers.
// Throws          std::invalid_argument if numbers of lanes differ, or there is not one width for each plane.

// Returns one Additive for each plane.
[[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                                        RingWidths widths, Label label);
// `shares` are results of bits_as_shares, or sums of such results. The words may have bits above the ring.
[[nodiscard]] Task<PoolVector<WordPieces>> replicate(Party& party, PairKeys& keys, NodeId lead,
                                                     PoolVector<Additive> shares, std::size_t lanes, RingWidths widths,
                                                     Label label);
[[nodiscard]] Task<PoolVector<WordPieces>> bits_as_numbers(Party& party, PairKeys& keys, NodeId lead, NumberPieces bits,
                                                           RingWidths widths, Label label);

// The bits of a replicated number that nobody knows.
//
// Functionality   summand_bits   u and v with number = u + v mod 2^bits, as shared bits
//                 bits_of        the bits of number + carry mod 2^bits
// How             The lead party knows u, the sum of its two pieces, and the second and the third party know v, the
//                 third piece. The bits of u are shared by XOR with a word of key `lead`, and the bits of v are shared
//                 without a mask. A ripple adder (circuits.h) gives the bits of the sum. [roles as in ABY3, CCS 2018,
//                 section 5.3]
// Rounds, bytes   summand_bits: 1 round; the lead party sends the second party `bits` planes. bits_of: also bits - 1
//                 ANDs, one round each.
// Views           The planes are masked by K_lead, which the second party lacks.

struct SummandBits {
  NumberPieces u, v;
};

[[nodiscard]] Task<SummandBits> summand_bits(Party& party, PairKeys& keys, NodeId lead, WordPieces number, Label label);
[[nodiscard]] Task<NumberPieces> bits_of(Party& party, PairKeys& keys, NodeId lead, WordPieces number, BitPieces carry,
                                         Label label);

}  // namespace sotto::protocols
