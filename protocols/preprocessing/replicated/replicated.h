// Replicated values: a value has three pieces, and each of three parties holds two of the pieces. Party i has piece i
// (its own piece) and piece i + 1 (its next piece). Party i and the party before it know piece i.
//
// Any two parties together know a value; one party knows only two uniform pieces of the value. Sums, multiples by
// public numbers and products are local. A product gives an additive share (Additive,
// include/sotto/protocol/sharing/masked.h). The additive share of a product is fit only for openings and local sums. A
// fresh sharing of zero must be added to the share first, because party i - 1 knows a part of the share of party i.
// [Araki et al., CCS 2016; ABY3, CCS 2018]
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/sharing/bilinear_map.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

inline constexpr std::size_t replicated_parties = 3;

[[nodiscard]] constexpr NodeId next_of(NodeId party) { return static_cast<NodeId>((party + 1) % replicated_parties); }
[[nodiscard]] constexpr NodeId previous_of(NodeId party) { return next_of(next_of(party)); }

// The map's result in additive shares, which are valid mod 2^bits. Operands have one word for each entry of the map's
// operands.
[[nodiscard]] Additive local_product(const BilinearMap& map, const WordPieces& x, const WordPieces& y);
// The products x[i] y[j] of each pair of the map, in additive shares.
[[nodiscard]] Additive local_pairs(const BilinearMap& map, const WordPieces& x, const WordPieces& y);
// x & y in XOR shares, 64 lanes in a word.
[[nodiscard]] Words local_and(const BitPieces& x, const BitPieces& y);

// pass_back, pass_on: each of three parties sends words to the party before it, or to the party after it.
//
// Functionality   pass_back: party i gets the words of party i + 1. pass_on: party i gets the words of party i - 1.
// Rounds, bytes   1 round; each party sends 8 bytes a word. If there are no words, there is no round.
// Views           The receiver sees all words: callers must mask the words by a key that the receiver lacks, unless the
//                 words are to be opened.

// `mine` and the result have `words` words at a party, and no words at other roles.
[[nodiscard]] Task<Words> pass_back(Party& party, Words mine, std::size_t words, Label label);
[[nodiscard]] Task<Words> pass_on(Party& party, Words mine, std::size_t words, Label label);

}  // namespace sotto::protocols
