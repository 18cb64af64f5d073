// Circuits on shared bits, from the ANDs of PieceProtocols (piece_protocols.h).
//
// Functionality   and_each    x_i & y_i for each i, in one message
//                 carries     the carry into each bit 0 .. last of x + y + c, where c is the carry into bit 0:
//                             c_(i+1) = c_i ^ (x_i ^ c_i)(y_i ^ c_i)
//                 below       [number < threshold] for a public threshold
// Rounds, bytes   and_each takes one AND, carries takes `last` ANDs one after another, and below takes
//                 below_ands(threshold, bits) ANDs one after another.
// Throws          std::invalid_argument if sizes differ.
#pragma once

#include <cstdint>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<NumberPieces> and_each(Party& party, PieceProtocols& pieces, NumberPieces x, NumberPieces y,
                                          Label label);
// Returns last + 1 planes; x and y have at least `last` bits.
[[nodiscard]] Task<NumberPieces> carries(Party& party, PieceProtocols& pieces, NumberPieces x, NumberPieces y,
                                         BitPieces carry, unsigned last, Label label);
[[nodiscard]] Task<BitPieces> below(Party& party, PieceProtocols& pieces, NumberPieces number, std::uint64_t threshold,
                                    Label label);

// One AND for each bit above the lowest 1 of the threshold.
[[nodiscard]] unsigned below_ands(std::uint64_t threshold, unsigned bits);

// One-hots of shared digits: the 2^b bits [digit = j], in XOR shares.
//
// How             Multiplies the one-hots of the lower and the upper half of the bits. In each row and column of the
//                 products, one product needs no AND: it is the XOR of the other products and a known bit.
// Rounds, bytes   one_hot_rounds(b) = ceil(log2 b) rounds, 2^b - b - 1 ANDs.
// Throws          std::invalid_argument for digits of no bits or more than 16.

// Plane j is [digit = j].
[[nodiscard]] Task<NumberPieces> one_hot(Party& party, PieceProtocols& pieces, NumberPieces digit, Label label);

[[nodiscard]] unsigned one_hot_rounds(std::size_t digit_bits);

}  // namespace sotto::protocols
