// The refresh of the model between two single steps, from its exact sums.
//
// How             The parties make one Newton-Schulz iteration (newton_schulz.h) from the current W, and then correct
//                 w. Let E = I - A^(1/2) W A^(1/2) before the refresh. The refresh replaces E by E^2, and reduces the
//                 error of w by a factor of E, both up to rounding.
//     round       matrices                                           weights
//     1           A += sum (o_a x) x' and b += sum (o_a x) r, without a message. The parties mask truncated copies
//                 of A and W, and a finer copy of A.
//     2           The parties mask the copy of A again.              e = b - A w, from the finer copy of A
//     3           P = A W. The parties mask the copy of W again.     w <- w + W e
//     4           The parties mask P again.
//     5           W <- 2W - (W P + P' W) / 2
//     6           Only if steps update just the pulled arm: W is masked again, with the bits that the model stores.
// Rounds          5 if steps update all arms, 6 if steps update just the pulled arm.
// Views           Nobody learns anything. Openings are uniform, and a refresh takes place after a fixed number of
//                 steps.
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

// The pulls since the last refresh. W and w already include these pulls; A and b do not.
class PendingPulls {
 public:
  // The constructor allocates the memory for `most` pulls, so that steps allocate none.
  PendingPulls(const Party& party, const BanditParameters& parameters, const StepPlan& plan, std::size_t most);

  void add(const Masked& of_arms, const Masked& context, const Masked& reward);
  // Adds the pulls to A and b, without a message.
  void enter(Party& party, LearnedModel& model);

 private:
  PoolVector<Masked> of_arms_, contexts_, rewards_;
  std::size_t count_ = 0;
};

[[nodiscard]] Task<LearnedModel> refresh(Party& party, const StepPlan& plan, LearnedModel model);

}  // namespace sotto::apps::bandit
