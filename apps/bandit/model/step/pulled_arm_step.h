// A single step in which the matrix and the score of the pulled arm are selected, in shares, before anything is
// learned: more rounds, and a fraction of what all arms compute and preprocessing makes.
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
//                 The choice takes 7 rounds where there are more than 64 arms, the division one more for each further
//                 factor.
// How             W is kept at 2 Fu + 1 fraction bits, those of u v' + v u', so that no arm's W is rounded. o selects
//                 as a masked word, or as a masked bit where that costs less
//                 (include/sotto/protocol/arithmetic/selection.h).
#pragma once

#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/step/current_step.h"
#include "apps/bandit/model/step/refresh.h"

namespace sotto::apps::bandit {

// As all_arms_step. The model's W is a plain mask, before and after.
[[nodiscard]] Task<NextContext> pulled_arm_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                                Task<NextContext> next);

}  // namespace sotto::apps::bandit
