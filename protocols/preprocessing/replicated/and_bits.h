// ANDs and openings of replicated bits.
//
// Functionality   and_bits    [x & y], 64 lanes a word
//                 open_bits   every party learns the bits
// How             AND: party i computes its part of x & y from the pieces it has, adds its term of a fresh sharing of
//                 zero, and sends the result to the party before it, which needs it as its next piece. Opening: each
//                 party sends its own piece to the party after it, which lacks that one. [Araki et al., CCS 2016,
//                 section 2.2]
// Rounds, bytes   1 round, each party sends 8 bytes for 64 lanes of a plane.
// Who sees what   The message of party i in an AND is masked by F(K_i) ^ F(K_(i+1)); its receiver, party i - 1, lacks
//                 K_(i+1). So it sees a uniform word. An opening shows the piece that follows from the bits and the
//                 receiver's own two.
// Throws          std::invalid_argument where sizes differ.
#pragma once

#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `keys` outlives the task.
[[nodiscard]] Task<BitPieces> and_bits(Party& party, PairKeys& keys, BitPieces x, BitPieces y, Label label);
// A word for 64 lanes at each party, nothing elsewhere.
[[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label);

// Every bit flipped: in piece 0.
[[nodiscard]] BitPieces complement(const PairKeys& keys, BitPieces bits);

}  // namespace sotto::protocols
