// one_hot_excess: one word that shows whether each group of bits is a one-hot. All bits come from one role.
//
// Functionality   bits b of share_bits (selection.h) and two public words -> shares of c = the sum over all groups t of
//                 rho_t (b_t1 + .. + b_tk - 1). Each row, or each column, of bits is a group. The factors rho_t are the
//                 expansion of the two words. The two public words must be drawn after the bits are shared.
// How             The form of share_bits allows only bits, so a group has exactly one bit set if and only if the sum of
//                 its bits is 1. If all groups have the sum 1, c is 0. If a group has another sum s, c is uniform among
//                 the multiples of a power of two that divides s - 1. Then the probability that c is 0 is below k /
//                 2^64.
// Costs           `one_hot_excess` | 0 | 0 | 0
// Rounds, bytes   none.
// Primitive       different roles run different steps
// Views           the roles see nothing new. An opened c is 0 if all groups are one-hots. Otherwise c depends only on
//                 the bits of the owner and on the two public words.
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

// Whether each row, or each column, is a group.
enum class OneHots : std::uint8_t { rows, columns };

// `what` distinguishes the bits from other bits that are checked with the same two words.
[[nodiscard]] Arith one_hot_excess(const Party& party, const MaskedBits& bits, OneHots groups, const Public& drawn,
                                   std::string_view what);

}  // namespace sotto::protocols
