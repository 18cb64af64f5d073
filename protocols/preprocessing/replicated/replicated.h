// Replicated values: three pieces, of which each of three parties holds two. Party i has piece i (its own) and piece
// i + 1 (its next); so piece i is known to party i and to the one before it.
//
// Any two parties hold a value together, one holds two uniform pieces of it. Sums, multiples by public numbers and
// products are local; a product gives an additive share (Additive, include/sotto/protocol/sharing/masked.h), which is
// fit for openings and local sums only, and only with a fresh sharing of zero on top, since the party before knows a
// part of it. [Araki et al., CCS 2016; ABY3, CCS 2018]
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

// The map's result in additive shares, to be taken mod 2^bits. Operands have a word for each entry of the map's.
[[nodiscard]] Additive local_product(const BilinearMap& map, const WordPieces& x, const WordPieces& y);
// x[i] y[j] of each pair of the map, likewise.
[[nodiscard]] Additive local_pairs(const BilinearMap& map, const WordPieces& x, const WordPieces& y);
// x & y in XOR shares, a word for 64 lanes.
[[nodiscard]] Words local_and(const BitPieces& x, const BitPieces& y);

// pass_back, pass_on: each of three parties sends words to the one before it, or to the one after it.
//
// Functionality   pass_back: party i gets the words of party i + 1; pass_on: those of party i - 1.
// Rounds, bytes   1 round; each party sends 8 bytes a word. No word, no round.
// Who sees what   The receiver sees all: callers hide the words under a key that it lacks, or mean to open them.

// `mine` has `words` words at a party and none elsewhere; so has what comes back.
[[nodiscard]] Task<Words> pass_back(Party& party, Words mine, std::size_t words, Label label);
[[nodiscard]] Task<Words> pass_on(Party& party, Words mine, std::size_t words, Label label);

}  // namespace sotto::protocols
