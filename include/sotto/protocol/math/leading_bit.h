// leading_bit: finds the powers of two around a masked number, to scale the number to [1/2, 1).
//
// Functionality   masked x with 0 <= x < 2^high units -> shares in Z/2^64 of [x < 2^i] for i = low .. high - 1. by_size
//                 takes these bits and public words w_low .. w_high, and makes shares of one of the words: w_low if x <
//                 2^low, otherwise w_e with 2^(e-1) <= x < 2^e.
// How             All comparisons of x with the powers 2^low .. 2^(high-1) take one round. The exponent e is the first
//                 i whose bit [x < 2^i] is set, so w_e = w_high + the sum of [x < 2^i] (w_i - w_(i+1)).
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `below_powers`, K powers | 1 | K bytes a lane | K comparisons a lane
// Views           As in below_zero.h. All comparisons of a lane use one mask, and each comparison has its own tables.
// Ranges          Comparisons have high + 1 bits. If x is out of range, the bits are wrong.
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

// `words` is w_low .. w_high, with `scale` fraction bits. Throws std::invalid_argument for another number of words.
// Sends no messages.
[[nodiscard]] Arith by_size(const Party& party, std::span<const Arith> below, std::span<const std::uint64_t> words,
                            unsigned scale);

}  // namespace sotto::protocols
