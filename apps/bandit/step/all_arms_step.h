// A single step in which all arms compute alike what one would learn, and the pulled one is selected last: the fewest
// rounds.
//
// Rounds          1  s = w . x                      |  u = W x
//                 2  compare all pairs              |  d = 1 + u . x
//                 3  count wins                     |  e0 = 1 - d y0,  p0 = u y0
//                 4  o to the actor, and masked     |  v = p0 (1 + e0)
//                 5  reward; o x                    |  o u, o v
//                 6  w + (o v)(r - s)               |  W - ((o u) v' + v (o u)') / 2;  the next x
#pragma once

#include "sotto/apps/bandit/learned_model.h"
#include "sotto/apps/bandit/step/current_step.h"
#include "sotto/apps/bandit/step/refresh.h"

namespace sotto::apps {

// Of context x; `next` is played in the last round, and what it gives is returned.
[[nodiscard]] Task<NextContext> all_arms_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                              Task<NextContext> next);

}  // namespace sotto::apps
