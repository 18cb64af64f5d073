// The refresh of the model between two single steps, from its exact sums.
//
// Functionality   the model, and the pulls of a period's steps -> the model with A and b up to date. W is then much
//                 closer to the inverse of A than before, and w is much closer to A^-1 b.
// How             A Newton-Schulz iteration (newton_schulz.h) from the W that the steps have left, and a correction of
//                 w. Let E = I - A^(1/2) W A^(1/2) before the refresh. The refresh replaces E by E^2, and reduces the
//                 error of w by a factor of E, both up to rounding.
//     round       matrices                                           weights
//     1           A += sum (o_a x) x', b += sum (o_a x) r, local;    a finer copy of A
//                 copies of A and W, truncated
//     2           the copy of A masked again                         e = b - A w
//     3           P = A W; the copy of W masked again                w <- w + W e
//     4           P masked again
//     5           W <- 2W - (W P + P' W) / 2
//                 E is small (step_plan.h), so a second iteration would gain less than d, the rounding error of the
//                 first iteration. A value that is masked again has no carry term. So rounds 2 and 4 save most of the
//                 randomness that would otherwise be dealt for a refresh.
//     6           only if steps update just the pulled arm: W masked again, at the bits with which it is stored
// Rounds          5 if steps update all arms, 6 if they update just the pulled arm; for any number of parties and arms.
// Bytes           `sotto plan` prints the bytes; every run checks that measured = planned.
// Views           Nobody learns anything: openings are uniform. When a refresh takes place depends only on the step's
//                 number.
// Ranges          |E| <= plan.largest_error() (step_plan.h).
#pragma once

#include <cstddef>

#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/step/step_plan.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::apps::bandit {

// The pulls since the last refresh: o_a x, x and r of each, masked. W and w already include these pulls; A and b do
// not.
class PendingPulls {
 public:
  // Holds at most `most` pulls. The constructor allocates all memory, so that steps allocate none.
  PendingPulls(const Party& party, const BanditParameters& parameters, const StepPlan& plan, std::size_t most);

  void add(const Masked& of_arms, const Masked& context, const Masked& reward);
  // Adds the pulls to A and b, and forgets the pulls. Local.
  void enter(Party& party, LearnedModel& model);

 private:
  PoolVector<Masked> of_arms_, contexts_, rewards_;
  std::size_t count_ = 0;
};

[[nodiscard]] Task<LearnedModel> refresh(Party& party, const StepPlan& plan, LearnedModel model);

}  // namespace sotto::apps::bandit
