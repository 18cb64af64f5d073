// one_hot_excess: checks that groups of secret bits, which one role shares, are one-hots.
//
// Functionality   bits b of share_bits (selection.h) and two public words -> shares of c = the sum over all groups t of
//                 rho_t (b_t1 + .. + b_tk - 1). Here k is the size of a group. The factors rho_t are expanded from the
//                 two words. The words must be drawn after the bits are shared.
// How             share_bits can share only bits, so a group is a one-hot if and only if its bits add up to 1. If all
//                 groups have the sum 1, c is 0. Otherwise let s be the sum of a group. Let 2^v be the largest power of
//                 two that divides s - 1 for all groups. Then c is uniform among the multiples of 2^v in Z/2^64.
//                 Because 2^v is at most k, c is 0 with a probability of at most k / 2^64.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `one_hot_excess` | 0 | 0 | 0
// Primitive       the code takes different steps at different roles
// Views           An opened c is 0 if all groups are one-hots. Otherwise c depends only on the owner's bits and the two
//                 public words.
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

// The groups of bits: each row, or each column.
enum class OneHots : std::uint8_t { rows, columns };

// `what` must differ between checks that use the same two words.
[[nodiscard]] Arith one_hot_excess(const Party& party, const MaskedBits& bits, OneHots groups, const Public& drawn,
                                   std::string_view what);

}  // namespace sotto::protocols
