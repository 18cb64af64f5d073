// truncation_masks: the pads of truncations in replicated pieces, with nobody who knows them.
//
// Functionality   r uniform in Z/2^width; mu = r >> f, the signed shift of width bits, in Z/2^64; h = the top bit of r, in
//                 Z/2^f: what TruncationPair (core/party/preprocessing.h) holds, for width 64.
// How             r = u + v, of which lead (bit_conversion.h) knows u and the two others know v: bit_decomposition.h shares
//                 their bits. With c_i the carry of u + v into bit i, and low(.) the low width - 1 bits,
//                   h  = u_(width-1) ^ v_(width-1) ^ c_(width-1)
//                   mu = (low(u) >> f) + (low(v) >> f) + c_f - 2^(width-1-f) (c_(width-1) + h)
//                 One ripple adder (circuits.h) gives the carries, bit_conversion.h the numbers. [our own]
// Rounds, bytes   width + 2: 1 for what lead tells second, width - 1 for the adder, 2 for the conversion. For L lanes lead
//                 sends width planes and 8 L bytes, then 64 L + 2 (65 - width + f) L bits packed; second and third
//                 (64 + f) L bits packed each; all three width - 1 planes.
// Who sees what   What lead sends first is masked by words of K_lead, which second lacks. The rest as in the headers
//                 named. Each party knows two of three pieces of r, mu and h.
// Throws          std::invalid_argument unless 1 <= f <= width - 2 and 3 <= width <= 64.
#pragma once

#include <cstddef>

#include "sotto/core/async/task.h"
#include "sotto/core/party/party.h"
#include "sotto/core/wire/label.h"
#include "sotto/protocols/preprocessing/replicated/pair_keys.h"
#include "sotto/protocols/preprocessing/replicated/replicated.h"

namespace sotto::protocols {

// `keys` outlives the task.
[[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, PairKeys& keys, NodeId lead, std::size_t lanes,
                                                     unsigned f, unsigned width, Label label);

}  // namespace sotto::protocols
