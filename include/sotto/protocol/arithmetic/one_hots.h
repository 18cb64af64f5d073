// one_hot_excess: one word that tells whether rows of bits which one role brought are one-hots.
//
// Functionality   bits b of share_bits (selection.h), a group a row or a column, and two public words that were drawn
//                 once the bits were there -> shares of c = the sum over groups of rho_t (b_t1 + .. + b_tk - 1), with
//                 rho the expansion of the two words.
// How             Each entry is a bit by its form, so that a group has one of its bits set if and only if its sum is 1.
//                 c is 0 where all groups are such. Otherwise it is uniform among the multiples of a power of two that
//                 divides a sum less 1, and so 0 with a chance below k / 2^64.
// Costs           `one_hot_excess` | 0 | 0 | 0
// Rounds, bytes   none.
// Primitive       what the roles do differs
// Who sees what   nothing new. Opened, c is 0 for one-hots and otherwise a function of the owner's bits alone.
// Ranges          exact in Z/2^64.
// Throws          std::invalid_argument unless there are two public words.
#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::protocols {

// Which bits make a group.
enum class OneHots : std::uint8_t { rows, columns };

// `what` tells the bits apart from others of the same two words.
[[nodiscard]] Arith one_hot_excess(const Party& party, const MaskedBits& bits, OneHots groups, const Public& drawn,
                                   std::string_view what);

}  // namespace sotto::protocols
