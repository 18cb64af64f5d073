// below_zero: the sign of a masked value, by look-ups.
//
// Functionality   masked x with -2^(k-1) <= x < 2^(k-1) -> shares of [x < 0] in Z/2^w.
// How             1. Cut the low k-1 bits of D and of m into digits. A table a digit gives
//                    sign(d_i - m_i), that of the lowest only -[d_0 < m_0].
//                 2. Their weighted sum s (comparison_plan.h) is negative exactly when a borrow leaves the low bits.
//                    Open s masked in Z/2^digits, D_s = s + m_s: one byte.
//                 3. [x < 0] = D_top xor m_top xor [s < 0], and the top bit of s is that of D_s xor that of m_s xor the
//                    borrow [D_s' < m_s'] of their low bits. A last table over D_s' gives the part in the masks;
//                    where the public bits differ it is flipped.
// Costs           `below_zero`, k bits | 1 | 1 byte a lane | `dealt_bits(plan)` a lane
// Rounds, bytes   1 round, 1 byte a lane to each party; dealt: dealt_bits(plan) a lane.
// Primitive       what the roles do differs
// Who sees what   the opened sum is uniform; table entries are fresh sharings.
// Ranges          x out of range gives a wrong sign; callers derive k from public bounds (planner,
//                 never guessed).
// Throws          std::invalid_argument if x has fewer than k bits.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/compare/comparison_plan.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<Arith> below_zero(Party& party, MaskedIndex x, ComparisonPlan plan, unsigned result_bits,
                                     Label label);

// [x < y] as a bit in Z/2^64 for masked values of one scale with |x - y| < 2^(k-1) units and without carry terms in the
// low k bits. 1 round.
[[nodiscard]] Task<Arith> less_than(Party& party, Masked x, Masked y, unsigned k, Label label);

}  // namespace sotto::protocols
