// argmax: the one-hot of the largest of A scores. Ties are broken uniformly at random. With some probability, a uniform
// arm is explored instead.
//
// Functionality   masked scores (one row or column of A, plain masks) -> shares of o in Z/2^64, each o_a an unscaled
//                 bit. Exactly one bit is set. With probability epsilon it is the bit of a uniform arm, otherwise the
//                 bit of an arm with the largest score. Arms with equal scores are equally likely. [Hannun et al. 2019,
//                 algorithm 1 lines 8 and 12-15, algorithm 2]
// How             Pairwise, up to max_pairwise arms:
//                 1. For each pair compare floor(s_i / 2^shift) - floor(s_j / 2^shift) - tie_ij with zero. The term
//                    tie_ij is [rank_i < rank_j] for a secret random permutation of ranks that the dealer includes in
//                    the mask. Each score is shifted before the subtraction, so the order stays transitive and exactly
//                    one arm wins all of its pairs.
//                 2. Add up the wins of each arm in Z/2^ceil(log2 A), open the masked sums, and look up [wins = A - 1].
//                    The table of this look-up also does the epsilon-greedy mixing: the dealer draws a Bernoulli bit
//                    and a uniform arm. The dealer deals either the table of [wins = A - 1], or the one-hot of the
//                    uniform arm.
//                 With more than max_pairwise arms, a tournament: compare pairwise in groups, select the winners'
//                 values by a product, compare pairwise among the winners, and multiply the two one-hots. The selected
//                 values carry the rank of the arm in their low bits, so that ties stay uniform.
// Costs           `argmax`, A <= 64 | 2 | A (A-1) / 2 + A bytes | tables of all pairs
//                 `argmax`, A > 64 | 7 | see `sotto plan` | see `sotto plan`
// Rounds, bytes   2 rounds pairwise, 7 by tournament; callers that mask o take one more round. Pairwise, each party
//                 sends A (A-1) / 2 + A bytes to each other party; `sotto plan` prints all other costs.
// Primitive       different roles run different steps
// Views           Openings are uniform (below_zero.h, mask.h). Only the dealer knows the ranks, the Bernoulli bit and
//                 the uniform arm. The dealer sees no score and no opening. The shares of o are fresh table entries.
// Ranges          |s_i - s_j| < 2^(k-1) - 1 units of 2^shift.
// Throws          std::invalid_argument for scores with carry terms, for a matrix of scores, and if there is no arm.
// Deviations      The paper draws exploration scores v_a and takes their argmax; a uniform arm has the same
//                 distribution. The paper permutes the maxima and compares again; with a rank in the comparison, the
//                 distribution is the same, and one argmax fewer is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

// The common part of argmax and choose: the one-hot of the largest score of each event.

// One byte for each entry of the scores: 1 if the arm is allowed, 0 if the arm is excluded. Empty if all arms are
// allowed. All compute parties have the same bytes; other roles do not use AllowedArms.
using AllowedArms = std::vector<std::uint8_t>;

// A comparison of scores drops the low `shift` bits of each score, and compares the next k bits.
struct ScoreWidths {
  unsigned shift;
  unsigned comparison_bits;
};

inline constexpr std::size_t max_pairwise = 64;

// The number of arms in a group of the tournament over `arms` arms: the size for which the fewest bits are dealt. The
// last group of an event may have fewer arms.
[[nodiscard]] std::size_t tournament_group(std::size_t arms, unsigned comparison_bits);

// The dealer's samples for `events` choices among `arms` arms; empty at every other role.
[[nodiscard]] Samples draw_samples(Party& party, std::size_t events, std::size_t arms, Exploration exploration);

// `scores` has one row per event, one column per arm, and plain masks. Two scores of an event differ by less than
// 2^(k-1) - 1 units of 2^shift. Returns bits in the shape of the scores, in Z/2^result_bits, where result_bits is 1, 8
// or 64. In each row the bit of the largest score is set. Among equal scores the score with the highest rank wins. An
// allowed arm beats an excluded arm. If an event explores, the bit of its arm in `samples` is set instead, or no bit if
// `samples` has no arms. Takes 2 rounds, or 7 for more than max_pairwise arms. The header of argmax gives the views and
// all other costs.
[[nodiscard]] Task<Arith> winners(Party& party, Masked scores, AllowedArms allowed, Samples samples, ScoreWidths widths,
                                  unsigned result_bits);

struct ArgmaxOptions {
  unsigned shift = 0;        // number of low bits that a comparison drops from each score
  unsigned comparison_bits;  // k
  Exploration exploration{};

  [[nodiscard]] ScoreWidths widths() const { return {shift, comparison_bits}; }
};

[[nodiscard]] Task<Arith> argmax(Party& party, Masked scores, ArgmaxOptions options);

}  // namespace sotto::protocols
