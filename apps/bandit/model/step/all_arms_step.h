// A single step in which all arms compute alike what one would learn, and the pulled one is selected last: the fewest
// rounds, 6 (private_bandit.h has what is in each).
#pragma once

#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/step/current_step.h"
#include "apps/bandit/model/step/refresh.h"

namespace sotto::apps::bandit {

// Of context x; `next` is played in the last round, and what it gives is returned.
[[nodiscard]] Task<NextContext> all_arms_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                              Task<NextContext> next);

}  // namespace sotto::apps::bandit
