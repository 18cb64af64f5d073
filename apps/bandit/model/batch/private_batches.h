// The bandit in batches: a whole run of decide and learn, in the order of its schedule.
//
// Rounds          of a batch 5 to decide (10 above 64 arms) and 13 to learn; one more to restore a kept model, and one
//                 a checkpoint.
// Bytes           `sotto plan` prints them; measured = planned is checked in every run.
// Who sees what   The actor: the arms. The rewarder: its rewards. The compute parties and the dealer: how many events
//                 each batch has. Nothing else is new beside the single step (private_bandit.h).
// Interruptions   A checkpoint is of the model alone, after a batch was learned. A run that goes on from one decides
//                 the events again that were not learned by then: no event is learned twice, and none is lost. Their
//                 arms are opened a second time, and the privacy of arms counts them twice.
#pragma once

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/learned_model.h"

namespace sotto::apps::bandit {

// The turns of `order`, which starts where the schedule does. Throws std::invalid_argument if that is after the last
// event.
[[nodiscard]] Task<BanditModel> private_batches(Party& party, const BatchPlan& plan, BatchSchedule order,
                                                BanditSite& site, BanditSchedule schedule = {});

}  // namespace sotto::apps::bandit
