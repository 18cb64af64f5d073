// choose: the epsilon-greedy choices of many events at once, where each event has its own allowed arms.
//
// Functionality   masked scores (one row per event, one column per arm, plain masks) -> shares of o in Z/2^8. The
//                 compute parties know the allowed arms of each event. Each row of o is the one-hot of an allowed arm.
//                 With probability epsilon it is a uniform allowed arm. Otherwise it is an allowed arm with the largest
//                 score, uniform among arms with equal scores. [Hannun et al. 2019, algorithm 1 lines 8 and 12-15, here
//                 with excluded arms]
// How             As argmax.h, with three differences.
//                 1. If arm i or arm j is excluded, a public constant replaces the comparison of the pair (i, j): the
//                    allowed arm wins. At the end the parties set the shares of excluded arms to zero.
//                 2. The dealer does not know which arms are allowed. For every m up to A, the dealer deals a uniform
//                    one-hot of m places, or m zeros if the event does not explore. The parties use the one-hot whose m
//                    is the number of allowed arms, and put its entries at the allowed arms.
//                 3. In an event that explores, the last look-up gives zeros; o is the sum of this look-up and the
//                    dealt one-hot.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `choose`, an event, A <= 64 (above: 7 rounds) | 2 | A (A-1) / 2 + A bytes |
//                   tables of all pairs, A 2^ceil(log2 A) + A (A+1) / 2 bytes
//                 `choose_and_note`, an event, A <= 64 | 3 | A (A-1) / 2 + A bytes, 2 A bits |
//                   as `choose`, and A 2^ceil(log2 A) + A bits
// Primitive       the code takes different steps at different roles
// Views           Openings are uniform (below_zero.h, mask.h). Only the dealer knows ranks, coins and uniform arms. The
//                 dealer sees no score and no opening, and does not learn which arms are allowed.
// Ranges          |s_i - s_j| < 2^(k-1) - 1 units of 2^shift, for k = comparison_bits (argmax.h).
// Throws          std::invalid_argument for scores with carry terms, and if there is no arm. A compute party also
//                 throws std::invalid_argument if `allowed` has a wrong size, or if an event has no allowed arm.
#pragma once

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/bool.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

[[nodiscard]] Task<Arith> choose(Party& party, Masked scores, AllowedArms allowed, ArgmaxOptions options);

// As choose(), and also notes for each event, as XOR shares, whether the chosen arm is the best allowed arm. In an
// event that explores, the uniform arm may be the best arm too. The parties look up the best arms at the masked counts
// of wins that are already open, and AND these one-hots with the chosen ones. The shares of the bits are fresh
// (bit_and), so a party may store its share.
struct NotedChoice {
  Arith chosen;
  Bool is_best;  // one row per event
};
// Also throws std::invalid_argument for more than max_pairwise arms.
[[nodiscard]] Task<NotedChoice> choose_and_note(Party& party, Masked scores, AllowedArms allowed,
                                                ArgmaxOptions options);

}  // namespace sotto::protocols
