// The bandit in batches: a whole run of decide and learn, in the order of its schedule.
//
// Rounds          per batch 5 to decide (10 above 64 arms) and 13 to learn. Restoring a kept model takes one more
//                 round, and so does each checkpoint.
// Bytes           `sotto plan` prints the bytes; every run checks that measured = planned.
// Views           The actor: the arms. The rewarder: its rewards. The compute parties and the dealer: how many events
//                 each batch has. All other views are those of single steps (private_bandit.h).
// Interruptions   A checkpoint has only the model, in its state after a batch was learned. A run that resumes from a
//                 checkpoint decides again all events that were not learned before the checkpoint. So no event is
//                 learned twice, and none is lost. The arms of events that are decided again are opened a second time,
//                 and the privacy of arms counts these arms twice.
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

// Runs the turns of `order`, which must start at the same event as the schedule. Throws std::invalid_argument if the
// start is after the last event.
[[nodiscard]] Task<BanditModel> private_batches(Party& party, const BatchPlan& plan, BatchSchedule order,
                                                BanditSite& site, BanditSchedule schedule = {});

// One role's side of a run in batches: gets the inputs for deciding and learning from the role's site.

class Turns {
 public:
  // `plan` and `site` must outlive this object and the functions that it returns.
  Turns(const BatchPlan& plan, BanditSite& site) : plan_(plan), site_(site) {}

  [[nodiscard]] FillContexts contexts(EventRange events) const;
  void begin(EventRange events);
  // At the actor: pulls the opened arms, and remembers each arm until its event is learned.
  void pull(EventRange events, const Public& chosen);
  // The inputs for learning from `events`: from decided events, in the order of their decisions, or from a log's
  // events.
  [[nodiscard]] TrainingEvents lessons(EventRange events);
  void end(EventRange events);

 private:
  void fill_arms(EventRange events, std::span<std::uint64_t> out);

  const BatchPlan& plan_;
  BanditSite& site_;
  std::deque<std::size_t> pulled_;  // arms of events that are not learned yet
};

// The model with which a run in batches begins. The model is a fresh one, that of an earlier run, or that of the
// checkpoint from which the run resumes. A fresh model needs no round; any other model needs one round, in the phase
// "restore".
[[nodiscard]] Task<BatchModel> model_at_start(Party& party, const BatchPlan& plan, BanditSite& site,
                                              BanditSchedule schedule);

}  // namespace sotto::apps::bandit
