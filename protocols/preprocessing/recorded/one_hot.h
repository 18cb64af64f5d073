// One-hots of shared digits: the 2^b bits [digit = j], by XOR.
//
// How             That of the lower half of the bits times that of the upper half; of each row and column the last
//                 product follows from the others by XOR.
// Rounds, bytes   one_hot_rounds(b), ceil(log2 b) ANDs one after the other; 2^b - b - 1 ANDs (piece_protocols.h).
// Who sees what   As in the ANDs of the mode: nobody learns a bit.
// Throws          std::invalid_argument for digits of no bits or more than 16.
#pragma once

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/recorded/pieces.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `pieces` outlives the task. Plane j is [digit = j].
[[nodiscard]] Task<NumberPieces> one_hot(Party& party, PieceProtocols& pieces, NumberPieces digit, Label label);

[[nodiscard]] unsigned one_hot_rounds(std::size_t digit_bits);

}  // namespace sotto::protocols
