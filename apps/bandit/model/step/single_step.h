// The bandit one event at a time: a step decides an event and learns from it.
//
// Functionality, rounds, what each role sees: private_bandit.h. There are two kinds of steps, all_arms_step.h and
// pulled_arm_step.h, with the same arithmetic in another order; what follows holds for both.
// Why W does not drift    W is never the inverse of A, but of B = A_0 + the sum of (1 + e_i) x_i x_i' + rounding: a
//                 division that is off by a relative n_i only gives the pull a weight of 1 + e_i, |e_i| <= |n_i| q / (1
//                 - |n_i| (q - 1)), and w is then the ridge regression with these weights. So its errors never add up.
//                 1. With u = W x, d = 1 + x'u and v = (1 + n) u / d: W' = W - u v' has the inverse W^-1 + (1 + e) x
//                    x', e = n d / (1 - n (d - 1)), and W'^-1 (w + v (r - x'w)) = W^-1 w + (1 + e) r x.
//                 2. A rounding R of W' changes W'^-1 by a relative |R| |W'^-1|. With all roundings at their worst
//                    these add up, in the steps between two refreshes, to plan.drift (step_plan.h).
//                 3. A refresh squares |E|, E = I - A^(1/2) W A^(1/2), and adds d. So |E| <= .1 after one and .22
//                    before the next, where drift <= .1 and d <= .05: W is positive definite at any time.
//                 4. |w_a| <= .75 sqrt(N) after N pulls, where ridge regression has .5 sqrt(N) at most: roundings add
//                    .18 sqrt(N) in a period, and a refresh leaves a quarter of what there was.
#pragma once

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::bandit {

// The steps of a run, from where its schedule starts. `plan` is of single steps. Throws std::invalid_argument if the
// schedule starts after the last step.
[[nodiscard]] Task<BanditModel> single_steps(Party& party, const BanditPlan& plan, BanditSite& site,
                                             BanditSchedule schedule);

}  // namespace sotto::apps::bandit
