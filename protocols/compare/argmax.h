// argmax: the one-hot of the largest of A scores, ties broken uniformly at random, mixed with
// uniform exploration.
//
// Functionality   masked scores (one row of A, plain masks) -> shares of o in Z/2^64, o_a in {0, 1}
// unscaled, exactly one is 1.
//                 With probability epsilon the one is a uniform arm, otherwise the arm of a largest
//                 score, each of equal scores alike. [Hannun et al. 2019, algorithm 1 lines 8,
//                 12-15 and algorithm 2]
// How             Pairwise, up to max_pairwise arms:
//                 1. For each pair compare floor(s_i / 2^shift) - floor(s_j / 2^shift) - [rank_i <
//                 rank_j] with zero, for a
//                    secret random permutation `rank` that the dealer folds into the mask. Each
//                    score is shifted first and subtracted after, so the order stays transitive and
//                    exactly one arm wins all its pairs.
//                 2. Add up the wins of each arm in Z/2^ceil(log2 A), open them masked, look up
//                 [wins = A - 1]. The epsilon-greedy
//                    mixing is in that table: the dealer draws the Bernoulli bit and the uniform
//                    arm, and deals the comparison's table or that arm's one-hot.
//                 Above, a tournament: pairwise in groups, the winners' values selected by a
//                 product, pairwise among them, and the product of the two one-hots. Values then
//                 carry the rank in their low bits, so that ties stay uniform.
// Rounds, bytes   2 rounds pairwise (3 with the mask of o that callers take), 7 by tournament (8).
// A (A-1) / 2 + A bytes a party
//                 sends to each other pairwise; see `sotto plan` for the rest.
// Who sees what   openings are uniform (below_zero.h, mask.h); rank, Bernoulli bit and uniform arm
// stay with the dealer, who sees no
//                 score and no opening. The shares of o are fresh table entries.
// Ranges          |s_i - s_j| < 2^(k-1) - 1 units of 2^shift, and in a tournament |s_i| < 2^(k-1)
// too. Throws          std::invalid_argument on scores with cuts, more than one row, or no arm.
// Deviations      the paper draws exploration scores v_a and takes their argmax; a uniform arm is
// the same distribution. It
//                 permutes the maxima; a rank in the comparison is the same distribution and two
//                 argmax rounds fewer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/async/task.h"
#include "core/party/party.h"
#include "core/sharing/arith.h"
#include "core/sharing/masked.h"

namespace sotto::protocols {

// Explore with probability threshold / 2^64, or always.
struct Exploration {
  std::uint64_t threshold = 0;
  bool always = false;
};

struct ArgmaxOptions {
  unsigned shift = 0;        // low bits of the scores that are not compared
  unsigned comparison_bits;  // k
  Exploration exploration{};
};

inline constexpr std::size_t max_pairwise = 64;

// How many arms a group of the tournament over `arms` arms has: the size that deals the least.
[[nodiscard]] std::size_t tournament_group(std::size_t arms);

[[nodiscard]] Task<Arith> argmax(Party& party, Masked scores, ArgmaxOptions options);

}  // namespace sotto::protocols
