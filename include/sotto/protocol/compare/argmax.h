// argmax: the one-hot of the largest of A scores, ties broken uniformly at random, mixed with uniform exploration.
//
// Functionality   masked scores (one row or column of A, plain masks) -> shares of o in Z/2^64,
//                 each o_a an unscaled bit, exactly one of them set: with probability epsilon that of a uniform arm,
//                 otherwise that of an arm of largest score, each of equal scores alike. [Hannun et al. 2019, algorithm
//                 1 lines 8 and 12-15, algorithm 2]
// How             Pairwise, up to max_pairwise arms:
//                 1. For each pair compare floor(s_i / 2^shift) - floor(s_j / 2^shift) - tie_ij with zero, where tie_ij
//                    = [rank_i < rank_j] for a secret random permutation that the dealer folds into the mask. Each
//                    score is shifted first and subtracted after, so the order stays transitive and exactly one arm
//                    wins all its pairs.
//                 2. Add up the wins of each arm in Z/2^ceil(log2 A), open them masked, look up [wins = A - 1]. The
//                    epsilon-greedy mixing is in that table: the dealer draws the Bernoulli bit and the uniform arm,
//                    and deals the comparison's table or that arm's one-hot.
//                 Above, a tournament: pairwise in groups, the winners' values selected by a product, pairwise among
//                 them, and the product of the two one-hots. The selected values carry the rank in their low bits, so
//                 that ties stay uniform.
// Costs           `argmax`, A <= 64 | 2 | A (A-1) / 2 + A bytes | tables of all pairs
//                 `argmax`, A > 64 | 7 | see `sotto plan` | see `sotto plan`
// Rounds, bytes   2 rounds pairwise (3 with the mask of o that callers take), 7 by tournament (8).
//                 Pairwise each party sends A (A-1) / 2 + A bytes to each other; `sotto plan` tells the rest.
// Primitive       what the roles do differs
// Who sees what   Openings are uniform (below_zero.h, mask.h); ranks, Bernoulli bit and uniform arm
//                 stay with the dealer, which sees no score and no opening. The shares of o are fresh table entries.
// Ranges          |s_i - s_j| < 2^(k-1) - 1 units of 2^shift.
// Throws          std::invalid_argument on scores with carry terms, on a matrix, and on no arm.
// Deviations      The paper draws exploration scores v_a and takes their argmax; a uniform arm is
//                 the same distribution. It permutes the maxima and compares again; a rank in the comparison is the
//                 same distribution and an argmax less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

// The inside of argmax and choose: the one-hots of the largest of each event's scores.

// 1 where an arm is allowed and 0 where not, a byte an entry of the scores; empty where all are. The same at all
// compute parties, and of no meaning elsewhere.
using AllowedArms = std::vector<std::uint8_t>;

// How the scores are compared: from bit `shift` on, with k bits.
struct ScoreWidths {
  unsigned shift;
  unsigned comparison_bits;
};

inline constexpr std::size_t max_pairwise = 64;

// How many arms a group of the tournament over `arms` arms has: the size that deals the least. The last group of an
// event may have fewer.
[[nodiscard]] std::size_t tournament_group(std::size_t arms, unsigned comparison_bits);

// The dealer's samples of `events` choices among as many arms; nothing elsewhere.
[[nodiscard]] Samples draw_samples(Party& party, std::size_t events, std::size_t arms, Exploration exploration);

// scores: an event a row, an arm a column, plain masks, |s_i - s_j| < 2^(k-1) - 1 units of 2^shift. Returns bits in
// Z/2^result_bits in their shape, 1, 8 or 64: in each row that of the largest score is set, of equal ones that of the
// higher rank. An allowed arm beats an excluded one. Where the samples explore, their arm is set, or none where they
// have no arms. 2 rounds, above max_pairwise arms 7; see argmax for the rest.
[[nodiscard]] Task<Arith> winners(Party& party, Masked scores, AllowedArms allowed, Samples samples, ScoreWidths widths,
                                  unsigned result_bits);

struct ArgmaxOptions {
  unsigned shift = 0;        // low bits of the scores that are not compared
  unsigned comparison_bits;  // k
  Exploration exploration{};

  [[nodiscard]] ScoreWidths widths() const { return {shift, comparison_bits}; }
};

[[nodiscard]] Task<Arith> argmax(Party& party, Masked scores, ArgmaxOptions options);

}  // namespace sotto::protocols
