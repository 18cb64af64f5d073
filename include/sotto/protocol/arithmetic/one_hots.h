// one_hot_excess: one word that shows whether groups of bits that one role brought are one-hots.
//
// Functionality   bits b of share_bits (selection.h), each row or each column a group, and two public words -> shares
//                 of c = the sum over groups of rho_t (b_t1 + .. + b_tk - 1), with rho the expansion of the two words.
//                 The words were drawn after the bits were shared.
// How             Each entry is a bit by its form, so a group has exactly one bit set if and only if its sum is 1. c is
//                 0 where this holds for all groups. Otherwise c is uniform among the multiples of a power of two that
//                 divides a sum less 1, and so 0 with a probability below k / 2^64.
// Costs           `one_hot_excess` | 0 | 0 | 0
// Rounds, bytes   none.
// Primitive       what the roles do differs
// Views           nothing new. An opened c is 0 for one-hots, and otherwise a function of the owner's bits only.
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

// `what` distinguishes the bits from other bits that are checked with the same two words.
[[nodiscard]] Arith one_hot_excess(const Party& party, const MaskedBits& bits, OneHots groups, const Public& drawn,
                                   std::string_view what);

}  // namespace sotto::protocols
