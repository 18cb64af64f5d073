// choose: the epsilon-greedy choice of many events at once, each among the arms that it allows.
//
// Functionality   masked scores (an event a row, an arm a column, plain masks), and for each event the arms that it
//                 allows -> shares of o in Z/2^8, each row the one-hot of an allowed arm. The compute parties know
//                 which arms are allowed. The arm of a row is a uniform allowed arm with probability epsilon, otherwise
//                 one of largest score. Arms of equal scores are equally likely. [Hannun et al. 2019, algorithm 1 lines
//                 8 and 12-15, here with excluded arms]
// How             As in argmax.h, with three differences.
//                 1. Where i or j is excluded, a public constant replaces the comparison of the pair (i, j), so that
//                    the allowed arm wins. At the end the shares of excluded arms are set to zero.
//                 2. The dealer does not know which arms are allowed, and does not need to. It deals a uniform one-hot
//                    of m places for every m up to A, all zero unless the event explores. The parties take the one-hot
//                    of as many places as there are allowed arms, and put it at the places of these arms.
//                 3. For an event that explores, the last look-up, of the wins, gives zeros. So o is the sum of that
//                    look-up and the dealt one-hot.
// Costs           `choose`, an event, A <= 64 (above: 7 rounds) | 2 | A (A-1) / 2 + A bytes |
//                   tables of all pairs, A 2^ceil(log2 A) + A (A+1) / 2 bytes
// Rounds, bytes   2 rounds up to max_pairwise arms, 7 above. Pairwise, each party sends A (A-1) / 2 + A bytes an event
//                 to each other party. Dealt an event: the comparisons (below_zero.h), and A 2^ceil(log2 A) + A (A+1) /
//                 2 bytes.
// Primitive       what the roles do differs
// Views           Openings are uniform (below_zero.h, mask.h). Ranks, coins and uniform arms stay with the dealer,
//                 which sees no score, no opening, and not which arms are allowed. Nobody sees whether an event
//                 explores.
// Ranges          |s_i - s_j| < 2^(k-1) - 1 units of 2^shift.
// Throws          std::invalid_argument for scores with carry terms, and without an arm. At a compute party also where
//                 `allowed` has another size than the scores, or an event without an allowed arm.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

[[nodiscard]] Task<Arith> choose(Party& party, Masked scores, AllowedArms allowed, ArgmaxOptions options);

}  // namespace sotto::protocols
