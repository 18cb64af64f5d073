// leading_bit: finds the powers of two between which a masked number lies, so that the number can be scaled to [1/2,
// 1).
//
// Functionality   masked x with 0 <= x < 2^high units -> shares in Z/2^64 of [x < 2^i] for i = low .. high - 1. From
//                 these bits, by_size makes shares of one of the public words: of w_e if 2^(e-1) <= x < 2^e, or of
//                 w_low if x < 2^low.
// How             All comparisons of x with the powers 2^low .. 2^(high-1) take place in the same round. The exponent e
//                 is the first i whose bit [x < 2^i] is set, so that w_e = w_high + the sum of [x < 2^i] (w_i -
//                 w_(i+1)). The sum is local.
// Costs           `below_powers`, K powers | 1 | K bytes a lane | K comparisons a lane
// Rounds, bytes   1 round: high - low bytes per lane to each party. Dealt: high - low comparisons of high + 1 bits
//                 (below_zero.h).
// Views           the same as in below_zero.h. One mask serves for all comparisons of a lane; each comparison has its
//                 own tables.
// Ranges          If x is out of range, the bits are wrong. Carry terms of x have at most 63 - high bits, so that the
//                 low high + 1 bits of x have no carry terms.
// Throws          std::invalid_argument unless low <= high <= 62, and the low high + 1 bits of x have no carry terms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

[[nodiscard]] Task<std::vector<Arith>> below_powers(Party& party, Masked x, unsigned low, unsigned high);

// `words` has w_low .. w_high, at `scale` fraction bits. Local. Throws std::invalid_argument unless `below` has at
// least one bit, and `words` has one entry more than `below`.
[[nodiscard]] Arith by_size(const Party& party, std::span<const Arith> below, std::span<const std::uint64_t> words,
                            unsigned scale);

}  // namespace sotto::protocols
