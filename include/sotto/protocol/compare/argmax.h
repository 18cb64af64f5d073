// argmax: the one-hot of the largest of A scores.
//
// Functionality   one row or one column of A masked scores without carry terms -> shares of o in Z/2^64, where each o_a
//                 is 0 or 1.
//                 Exactly one bit is set. With probability epsilon it is the bit of a uniform arm. Otherwise it is the
//                 bit of an arm with the largest score, uniform among arms with equal scores. [Hannun et al. 2019,
//                 algorithm 1 lines 8 and 12-15, algorithm 2]
// How             For up to max_pairwise arms, the parties compare all pairs of arms:
//                 1. For each pair compare floor(s_i / 2^shift) - floor(s_j / 2^shift) - tie_ij with zero. The term
//                    tie_ij is 1 if rank_i < rank_j, else 0. Only the dealer knows the ranks, a random permutation, and
//                    puts tie_ij into the mask of the difference. Each score is shifted before the subtraction, so the
//                    order is transitive and exactly one arm wins all of its pairs.
//                 2. Add up the wins of each arm in Z/2^ceil(log2 A), open the masked sums, and look up [wins = A - 1].
//                    In an event that explores, the dealer deals the one-hot of a uniform arm in place of the table of
//                    [wins = A - 1].
//                 For more than max_pairwise arms, the parties first compare arms pairwise within groups. A product
//                 selects a value for each group: the score of the group's winner, with the winner's rank in the low
//                 bits. Then the parties compare the winners pairwise, and multiply the one-hots of both stages.
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `argmax`, A <= 64 | 2 | A (A-1) / 2 + A bytes | tables of all pairs
//                 `argmax`, A > 64 | 7 | see `sotto plan` | see `sotto plan`
// Primitive       the code takes different steps at different roles
// Views           Openings are uniform (below_zero.h, mask.h). Only the dealer knows the ranks, the Bernoulli bit and
//                 the uniform arm. The dealer sees no score and no opening. The shares of o are fresh table entries.
// Ranges          |s_i - s_j| < 2^(k-1) - 1 units of 2^shift, for k = comparison_bits.
// Throws          std::invalid_argument for scores with carry terms, for a matrix of scores, and if there is no arm.
// Deviations      The paper draws exploration scores and uses their argmax; a uniform arm has the same distribution.
//                 The paper permutes the maxima and compares again; ranks give the same distribution with one argmax
//                 fewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

// One byte for each score, the same at all compute parties: 1 if the arm is allowed, else 0; empty if all arms are
// allowed.
using AllowedArms = std::vector<std::uint8_t>;

// A comparison drops the low `shift` bits of each score, and compares the next `comparison_bits` bits.
struct ScoreWidths {
  unsigned shift;
  unsigned comparison_bits;
};

inline constexpr std::size_t max_pairwise = 64;

// The number of arms in a group of the tournament, chosen so that the fewest bits are dealt.
[[nodiscard]] std::size_t tournament_group(std::size_t arms, unsigned comparison_bits);

// The dealer's samples for `events` choices among `arms` arms; empty at all other roles.
[[nodiscard]] Samples draw_samples(Party& party, std::size_t events, std::size_t arms, Exploration exploration);

// The one-hot of the winner of each row of `scores` (one row per event, one column per arm, plain masks), in
// Z/2^result_bits with result_bits 1, 8 or 64. Scores of an event must differ by less than 2^(k-1) - 1 units of
// 2^shift, for k = comparison_bits. The highest rank wins among equal scores, and an allowed arm beats an excluded arm.
// In an event that explores, the arm in samples.arms wins. If samples.arms is empty, no arm wins.
[[nodiscard]] Task<Arith> winners(Party& party, Masked scores, AllowedArms allowed, Samples samples, ScoreWidths widths,
                                  unsigned result_bits);

// As winners(), and also the one-hots of the best arms, in Z/2: of the arms that win if no event explores. This takes
// no further round and no further message, but tables of A 2^ceil(log2 A) bits for each event.
struct WinnersAndBest {
  Arith winners;
  Arith best;
};
// Throws std::invalid_argument for more than max_pairwise arms.
[[nodiscard]] Task<WinnersAndBest> winners_and_best(Party& party, Masked scores, AllowedArms allowed, Samples samples,
                                                    ScoreWidths widths, unsigned result_bits);

struct ArgmaxOptions {
  unsigned shift = 0;
  unsigned comparison_bits;  // k
  Exploration exploration{};

  [[nodiscard]] ScoreWidths widths() const { return {shift, comparison_bits}; }
};

[[nodiscard]] Task<Arith> argmax(Party& party, Masked scores, ArgmaxOptions options);

}  // namespace sotto::protocols
