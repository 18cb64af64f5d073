// Replicated values: party i has piece i (its own piece) and piece i + 1 (its next piece) of the three pieces of a
// value.
//
// Any two parties together know a value; one party knows only two uniform pieces. Sums, multiples by public numbers and
// products are local. The result of a product is in additive shares, for openings and local sums only. A party must
// first add its term of a fresh sharing of zero to its share, because party i - 1 knows a part of the share of party i.
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

// The map's result in additive shares, valid mod 2^bits.
[[nodiscard]] Additive local_product(const BilinearMap& map, const WordPieces& x, const WordPieces& y);
// The products x[i] y[j] of each pair of the map, in additive shares.
[[nodiscard]] Additive local_pairs(const BilinearMap& map, const WordPieces& x, const WordPieces& y);
// XOR shares, 64 lanes in a word.
[[nodiscard]] Words local_and(const BitPieces& x, const BitPieces& y);

// pass_back, pass_on: each of three parties sends words to the party before it, or to the party after it.
//
// Rounds, bytes   1 round of 8 bytes a word, or none without words.
// Views           The receiver sees all words: callers must mask them by a key that the receiver lacks, unless the
//                 words are to be opened.

// `mine` and the result have `words` words at a party, and none elsewhere.
[[nodiscard]] Task<Words> pass_back(Party& party, Words mine, std::size_t words, Label label);
[[nodiscard]] Task<Words> pass_on(Party& party, Words mine, std::size_t words, Label label);

}  // namespace sotto::protocols
