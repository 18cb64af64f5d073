// truncation_masks: the pads of truncations, with nobody who knows them.
//
// Functionality   r uniform in Z/2^width; mu = r >> f, the signed shift of width bits, in Z/2^64; h = the top bit of r,
//                 in Z/2^f: what TruncationPair (include/sotto/protocol/party/preprocessing.h) holds, for width 64. r
//                 is in additive shares, of which second has none; mu and h are in replicated pieces.
// How             r = u + v, of which lead (bit_conversion.h) knows u and the two others know v. Their bits are drawn:
//                 u's are the XOR of words of two keys, v's are words of the third. With c_i the carry of u + v into
//                 bit i, and low(.) the low width - 1 bits,
//                   h  = u_(width-1) ^ v_(width-1) ^ c_(width-1)
//                   mu = (low(u) >> f) + (low(v) >> f) + c_f - 2^(width-1-f) (c_(width-1) + h)
//                 One ripple adder of ANDs (and_bits.h) gives the carries, bit_conversion.h the numbers. Each party
//                 adds its term of a sharing of zero to its share of mu and tells the party before it. [our own]
// Rounds, bytes   width + 1: width - 1 for the adder, 2 for the conversion. For L lanes all three send width - 1 planes
//                 and 8 L bytes; lead also 64 L + 2 (65 - width + f) L bits packed, second and third f L bits packed.
// Who sees what   The messages of the adder and of mu are masked by words of the key that the receiver lacks; the rest
//                 is as in bit_conversion.h. Each party knows two of three pieces of mu and h; of u and v lead knows
//                 the first, third the second, and second one of two keys that make the first, and the second.
// Throws          std::invalid_argument unless 1 <= f <= width - 2 and 3 <= width <= 64.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// `keys` outlives the task.
[[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, PairKeys& keys, NodeId lead, std::size_t lanes,
                                                     unsigned f, unsigned width, Label label);

}  // namespace sotto::protocols
