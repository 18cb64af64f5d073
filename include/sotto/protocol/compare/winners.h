// The inside of argmax and choose: the one-hots of the largest of each event's scores.
//
// Primitive       what the roles do differs
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

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
// Z/2^result_bits in their shape, 8 or 64: in each row that of the largest score is set, of equal ones that of the
// higher rank. An allowed arm beats an excluded one. Where the samples explore, their arm is set, or none where they
// have no arms. 2 rounds, above max_pairwise arms 7; see argmax.h for the rest.
[[nodiscard]] Task<Arith> winners(Party& party, Masked scores, AllowedArms allowed, Samples samples, ScoreWidths widths,
                                  unsigned result_bits);

}  // namespace sotto::protocols
