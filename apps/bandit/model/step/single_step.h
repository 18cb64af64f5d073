// The bandit one event at a time: a step decides an event and learns from it.
//
// Functionality, rounds, what each role sees: private_bandit.h. There are two kinds of steps, all_arms_step() and
// pulled_arm_step(), which do the same arithmetic in another order. The next paragraphs hold for both kinds of steps.
// Why W does not drift    W is the inverse of B = A_0 + the sum of (1 + e_i) x_i x_i' + rounding, and not exactly of A.
//                 If a division has the relative error n_i, the pull only has a weight of 1 + e_i instead of 1, with
//                 |e_i| <= |n_i| q / (1 - |n_i| (q - 1)). Then w is the ridge regression with these weights. So the
//                 errors of divisions never add up.
//                 1. Let u = W x, d = 1 + x'u and v = (1 + n) u / d. W' = W - u v' has the inverse W^-1 + (1 + e) x x'
//                    with e = n d / (1 - n (d - 1)), and W'^-1 (w + v (r - x'w)) = W^-1 w + (1 + e) r x.
//                 2. A rounding error R of W' changes W'^-1 by |R| |W'^-1|, relative to W'^-1. In the steps between two
//                    refreshes all roundings at their worst add up to plan.drift (step_plan.h).
//                 3. A refresh squares |E|, E = I - A^(1/2) W A^(1/2), and adds d. So |E| <= .1 after a refresh and
//                    |E| <= .22 before the next, where drift <= .1 and d <= .05. W is positive definite at any time.
//                 4. |w_a| <= .75 sqrt(N) after N pulls. The weights of ridge regression have a norm of at most
//                    .5 sqrt(N). Roundings add .18 sqrt(N) in a period, and a refresh leaves a quarter of the error.
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

// The arguments that both kinds of steps share: the party, the plan, its site, and the number of the step.
struct CurrentStep {
  Party& party;
  const BanditPlan& plan;
  BanditSite& site;
  std::uint64_t number;  // the first is 0
};

// The context of the next step, if that context is shared ahead.
using NextContext = std::optional<Masked>;

// The one-hot of the arm, a column of unscaled bits, from masked scores with one row per arm. 2 rounds for 2 to 64
// arms, 7 above.
[[nodiscard]] Task<Arith> chosen_arm(const CurrentStep& at, Masked scores);

// Opens the arm to the actor, which pulls it. 1 round.
[[nodiscard]] Task<void> tell_actor(const CurrentStep& at, Arith one_hot);

// The reward of the arm that was pulled, at the plan's reward_bits. 1 round.
[[nodiscard]] Task<Masked> share_reward(const CurrentStep& at);

// r - s for each row of s.
[[nodiscard]] Masked surprise(const CurrentStep& at, const Masked& reward, const Masked& s);

// 1 + u . x for each row of u, at the plan's divisor_bits. 1 round.
[[nodiscard]] Task<Masked> divisor(const CurrentStep& at, const Masked& u, const Masked& x);

// A step with context x. The roles compute for every arm the update that the arm would learn, and select the pulled arm
// last. Such a step takes the fewest rounds, 6 (private_bandit.h lists the contents of each round). `next` runs in the
// last round, and its result is returned.
[[nodiscard]] Task<NextContext> all_arms_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                              Task<NextContext> next);

// A single step that first selects the matrix and the score of the pulled arm, in shares, and then learns.
// pulled_arm_step() takes more rounds than all_arms_step(), but only a fraction of its computation and of its prepared
// randomness.
//
// Rounds          1      s = w . x
//                 2, 3   compare all pairs, count wins
//                 4      o to the actor, and masked
//                 5      W_o = sum of o_a W_a, cut to FV;  s_o = sum of o_a s_a;  reward
//                 6      u = W_o x;  x x', r x or, where words select, o x
//                 7      d = 1 + u . x;  u masked again
//                 8, 9   v = u / d
//                 10     u v' + v u';  v (r - s_o)
//                 11     W_a - o_a (u v' + v u') / 2, exact;  w_a + o_a v (r - s_o);  the next x
//                 Choosing the arm takes 7 rounds instead of 2 if there are more than 64 arms. The division takes one
//                 more round for each further factor.
// How             W is kept at 2 Fu + 1 fraction bits, those of u v' + v u', so that no arm's W is rounded. The one-hot
//                 o, which selects, is masked as words, or as bits where bits cost less
//                 (include/sotto/protocol/arithmetic/selection.h).
// Arguments       As all_arms_step. Before and after the step, the model's W has a plain mask (without carry terms).
[[nodiscard]] Task<NextContext> pulled_arm_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                                Task<NextContext> next);

}  // namespace sotto::apps::bandit
