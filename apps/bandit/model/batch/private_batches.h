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

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::apps::bandit {

// The turns of `order`, which starts where the schedule does. Throws std::invalid_argument if that is after the last
// event.
[[nodiscard]] Task<BanditModel> private_batches(Party& party, const BatchPlan& plan, BatchSchedule order,
                                                BanditSite& site, BanditSchedule schedule = {});

// One role's side of the turns of a run in batches: what its site brings to decisions and lessons.

class Turns {
 public:
  // Both outlive this, and what it gives.
  Turns(const BatchPlan& plan, BanditSite& site) : plan_(plan), site_(site) {}

  [[nodiscard]] FillContexts contexts(EventRange events) const;
  void begin(EventRange events);
  // At the actor: pulls what was opened to it, and remembers the arms until they are learned.
  void pull(EventRange events, const Public& chosen);
  // Of events that were decided, in that order, or of a log.
  [[nodiscard]] Lessons lessons(EventRange events);
  void end(EventRange events);

 private:
  void fill_arms(EventRange events, std::span<std::uint64_t> out);

  const BatchPlan& plan_;
  BanditSite& site_;
  std::deque<std::size_t> pulled_;  // not learned yet
};

// The model that a run in batches begins with: fresh, one that an earlier run has left, or that of the checkpoint which
// it goes on from. No round, or one in the phase "restore".
[[nodiscard]] Task<BatchModel> model_at_start(Party& party, const BatchPlan& plan, BanditSite& site,
                                              BanditSchedule schedule);

}  // namespace sotto::apps::bandit
