// leading_bit: finds the powers of two between which a masked number lies, so that it can be scaled to [1/2, 1).
//
// Functionality   masked x with 0 <= x < 2^high units -> shares in Z/2^64 of [x < 2^i] for i = low .. high - 1. From
//                 these, by_size makes shares of a public w_e with 2^(e-1) <= x < 2^e, or of w_low where x < 2^low.
// How             Comparisons with all these powers, side by side. e is the place of the first bit that is set, so that
//                 w_e = w_high + the sum of [x < 2^i] (w_i - w_(i+1)): local.
// Costs           `below_powers`, K powers | 1 | K bytes a lane | K comparisons a lane
// Rounds, bytes   1 round: high - low bytes a lane to each party. Dealt: as many comparisons of high + 1 bits
//                 (below_zero.h).
// Views           as below_zero.h. One mask serves all comparisons of a lane; each comparison has tables of its own.
// Ranges          x out of range gives wrong bits. Carry terms of x have at most 63 - high bits, so that the low high +
//                 1 bits have none.
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

// `words` has w_low .. w_high, at `scale` fraction bits. Local. Throws std::invalid_argument unless there is at least
// one bit, and one word more than bits.
[[nodiscard]] Arith by_size(const Party& party, std::span<const Arith> below, std::span<const std::uint64_t> words,
                            unsigned scale);

}  // namespace sotto::protocols
