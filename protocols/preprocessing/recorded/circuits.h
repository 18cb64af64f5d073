// Circuits on shared bits: the carries of a sum, a comparison with a public number.
//
// Functionality   and_each    x_i & y_i for each i, in one message
//                 carries     the carry into each bit 0 .. last of x + y + c, where c is the carry into bit 0:
//                             c_(i+1) = c_i ^ (x_i ^ c_i)(y_i ^ c_i). A ripple takes one AND for each bit, and all
//                             lanes use the same rounds
//                 below       [number < threshold] for a public threshold: one AND for each bit above the lowest 1 of
//                             the threshold
// How             By the ANDs of the mode without a dealer (piece_protocols.h).
// Rounds, bytes   and_each: as for one AND. carries: as for `last` ANDs one after another. below: as for
//                 below_ands(threshold, bits) ANDs one after another.
// Views           As in the ANDs of the mode (piece_protocols.h): nobody learns a bit.
// Throws          std::invalid_argument if sizes differ.
#pragma once

#include <cstdint>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `pieces` must outlive each task.
// x_i & y_i for each i, in one message. All planes have the same number of lanes.
[[nodiscard]] Task<NumberPieces> and_each(Party& party, PieceProtocols& pieces, NumberPieces x, NumberPieces y,
                                          Label label);
// Returns last + 1 planes; x and y have at least `last` bits.
[[nodiscard]] Task<NumberPieces> carries(Party& party, PieceProtocols& pieces, NumberPieces x, NumberPieces y,
                                         BitPieces carry, unsigned last, Label label);
[[nodiscard]] Task<BitPieces> below(Party& party, PieceProtocols& pieces, NumberPieces number, std::uint64_t threshold,
                                    Label label);

// The number of ANDs that compare numbers of `bits` bits with the threshold.
[[nodiscard]] unsigned below_ands(std::uint64_t threshold, unsigned bits);

// One-hots of shared digits: the 2^b bits [digit = j], by XOR.
//
// How             Multiplies the one-hot of the lower half of the bits by the one-hot of the upper half. In each row
//                 and column of the products, one product follows from the other products by XOR.
// Rounds, bytes   one_hot_rounds(b), ceil(log2 b) ANDs one after another; 2^b - b - 1 ANDs (piece_protocols.h).
// Views           As in the ANDs of the mode (piece_protocols.h): nobody learns a bit.
// Throws          std::invalid_argument for digits of no bits or more than 16.

// `pieces` must outlive the task. Plane j is [digit = j].
[[nodiscard]] Task<NumberPieces> one_hot(Party& party, PieceProtocols& pieces, NumberPieces digit, Label label);

[[nodiscard]] unsigned one_hot_rounds(std::size_t digit_bits);

}  // namespace sotto::protocols
