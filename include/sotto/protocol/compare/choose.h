// choose: the epsilon-greedy choices of many events at once, where each event has its own allowed arms.
//
// Functionality   masked scores (one row per event, one column per arm, plain masks), and the allowed arms of each
//                 event -> shares of o in Z/2^8. Each row of o is the one-hot of an allowed arm. The compute parties
//                 know which arms are allowed. With probability epsilon the arm of a row is a uniform allowed arm,
//                 otherwise an allowed arm with the largest score. Arms with equal scores are equally likely. [Hannun
//                 et al. 2019, algorithm 1 lines 8 and 12-15, here with excluded arms]
// How             The protocol is that of argmax.h, with three differences.
//                 1. If arm i or arm j is excluded, a public constant replaces the comparison of the pair (i, j), so
//                    that the allowed arm wins. At the end the shares of excluded arms are set to zero.
//                 2. The dealer does not know which arms are allowed. For every m up to A, the dealer deals a uniform
//                    one-hot of m places, or m zeros if the event does not explore. The parties take the one-hot with
//                    as many places as there are allowed arms, and put its entries at the allowed arms.
//                 3. For an event that explores, the last look-up (of the wins) gives zeros. The result o is the sum of
//                    the last look-up and the dealt one-hot.
// Costs           `choose`, an event, A <= 64 (above: 7 rounds) | 2 | A (A-1) / 2 + A bytes |
//                   tables of all pairs, A 2^ceil(log2 A) + A (A+1) / 2 bytes
// Rounds, bytes   2 rounds for up to max_pairwise arms, 7 for more arms. Pairwise, each party sends A (A-1) / 2 + A
//                 bytes per event to each other party. Dealt per event: the comparisons (below_zero.h), and A
//                 2^ceil(log2 A) + A (A+1) / 2 bytes.
// Primitive       different roles run different steps
// Views           Openings are uniform (below_zero.h, mask.h). Only the dealer knows ranks, coins and uniform arms. The
//                 dealer sees no score and no opening, and does not learn which arms are allowed. No other role sees
//                 whether an event explores.
// Ranges          |s_i - s_j| < 2^(k-1) - 1 units of 2^shift.
// Throws          std::invalid_argument for scores with carry terms, and if there is no arm. At a compute party, also
//                 thrown if `allowed` and the scores differ in size, or if an event has no allowed arm.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

[[nodiscard]] Task<Arith> choose(Party& party, Masked scores, AllowedArms allowed, ArgmaxOptions options);

}  // namespace sotto::protocols
