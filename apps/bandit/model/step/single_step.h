// The bandit one event at a time: a step decides an event and learns from it (program/private_bandit.h).
//
// Why W does not drift
//                 W is the inverse of a matrix B that differs from A. In A each pull has a weight of 1. In B the pull
//                 number i has a weight of 1 + e_i, because the division of this pull has a relative error n_i. Let q =
//                 1 + R^2. Then |e_i| <= |n_i| q / (1 - |n_i| (q - 1)). So B = A_0 + the sum of (1 + e_i) x_i x_i' +
//                 rounding errors, where A_0 is A at the start and x_i is the context of pull i. w is the ridge
//                 regression with the same weights, so the errors of divisions never add up. Proof:
//                 1. Let u = W x, d = 1 + x'u and v = (1 + n) u / d. W' = W - u v' has the inverse W^-1 + (1 + e) x x'
//                    with e = n d / (1 - n (d - 1)), and W'^-1 (w + v (r - x'w)) = W^-1 w + (1 + e) r x.
//                 2. A rounding error X of W' changes W'^-1 by |X| |W'^-1|, relative to W'^-1. In the steps between two
//                    refreshes, all roundings at their worst add up to plan.drift (step_plan.h).
//                 3. Let E = I - A^(1/2) W A^(1/2). A refresh squares |E|, and adds plan.rounding. With plan.drift <=
//                    .1 and plan.rounding <= .05, |E| <= .1 after a refresh and |E| <= .22 before the next refresh. So
//                    W is positive definite at any time.
//                 4. |w_a| <= .75 sqrt(N) after N pulls. The weights of ridge regression have a norm of at most
//                    .5 sqrt(N). Between two refreshes, roundings add at most .18 sqrt(N). A refresh leaves a quarter
//                    of the error of w.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/refresh.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::apps::bandit {

// The plan of a run in single steps. Throws as plan_step() does.
[[nodiscard]] BanditPlan plan_single_steps(BanditParameters parameters);

// Runs the steps of a run from the start of its schedule. `plan` must be a plan of single steps. Throws
// std::invalid_argument if the schedule starts after the last step.
[[nodiscard]] Task<BanditModel> single_steps(Party& party, const BanditPlan& plan, BanditSite& site,
                                             BanditSchedule schedule);

struct CurrentStep {
  Party& party;
  const BanditPlan& plan;
  BanditSite& site;
  std::uint64_t number;
};

using NextContext = std::optional<Masked>;

// Returns the one-hot of the arm as a column of unscaled bits. 2 rounds for 2 to 64 arms, 7 for more arms.
[[nodiscard]] Task<Arith> chosen_arm(const CurrentStep& at, Masked scores);

// Opens the arm to the actor. 1 round.
[[nodiscard]] Task<void> open_to_actor(const CurrentStep& at, Arith one_hot);

// Returns the reward with the plan's reward_bits. 1 round.
[[nodiscard]] Task<Masked> share_reward(const CurrentStep& at);

[[nodiscard]] Masked surprise(const CurrentStep& at, const Masked& reward, const Masked& s);

// Returns 1 + x'u with the plan's divisor_bits. 1 round.
[[nodiscard]] Task<Masked> divisor(const CurrentStep& at, const Masked& u, const Masked& x);

// One step of 6 rounds (program/private_bandit.h). `next`, which shares the next context, runs in the last round.
[[nodiscard]] Task<NextContext> all_arms_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                              Task<NextContext> next);

// One step, in which the roles select the matrix and the score of the pulled arm in shares, and then learn. Such a step
// needs more rounds than all_arms_step(), but only a fraction of the computation and of the prepared randomness.
//
// Rounds          1      s = w . x
//                 2, 3   The parties compare all pairs of scores, and count the wins of each arm.
//                 4      The parties open o to the actor, and mask o.
//                 5      W_o = sum of o_a W_a, truncated to FV bits;  s_o = sum of o_a s_a. The rewarder shares r.
//                 6      u = W_o x. For the sums A and b, the parties also mask x x' and r x if o is bits, or o x if o
//                        is words.
//                 7      d = 1 + u . x. The parties mask u again.
//                 8, 9   v = u / d
//                 10     u v' + v u';  v (r - s_o)
//                 11     W_a - o_a (u v' + v u') / 2, exact;  w_a + o_a v (r - s_o). The holders share the next x.
//                 Above 64 arms, choosing the arm needs 7 rounds instead of 2. If the division multiplies by additional
//                 factors (reciprocal.h), each of them costs one more round.
// Arguments       W has 2 Fu + 1 fraction bits, and u v' + v u' has the same number, so the update does not round W.
//                 Before and after the step, W has a mask without carry terms.
[[nodiscard]] Task<NextContext> pulled_arm_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                                Task<NextContext> next);

}  // namespace sotto::apps::bandit
