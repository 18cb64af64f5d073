// The bandit in batches: a whole run of decide and learn, in the order of its schedule.
//
// Rounds          Per batch 5 to decide (10 above 64 arms) and 13 to learn. Restoring a stored model costs one more
//                 round, and so does each checkpoint.
// Views           The actor sees the arms, and the rewarder sees the rewards that it brings. The compute parties and
//                 the dealer see how many events each batch has. For everything else, see private_bandit.h.
// Interruptions   A checkpoint contains only the model after a learned batch. A resumed run decides again all events
//                 that were not learned before the checkpoint. So no event is learned twice, and none is lost. The arms
//                 of events that are decided again are opened a second time, and the account of the arms' privacy
//                 counts these arms twice.
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

// `order` must start at the same event as the schedule. Throws std::invalid_argument if this event comes after the last
// event of the run.
[[nodiscard]] Task<BanditModel> private_batches(Party& party, const BatchPlan& plan, BatchSchedule order,
                                                BanditSite& site, BanditSchedule schedule = {});

class Turns {
 public:
  // `plan` and `site` must outlive this object and all functions that it returns.
  Turns(const BatchPlan& plan, BanditSite& site) : plan_(plan), site_(site) {}

  [[nodiscard]] FillContexts contexts(EventRange events) const;
  void begin(EventRange events);
  void pull(EventRange events, const Public& chosen);
  [[nodiscard]] TrainingEvents lessons(EventRange events);
  void end(EventRange events);

 private:
  void fill_arms(EventRange events, std::span<std::uint64_t> out);

  const BatchPlan& plan_;
  BanditSite& site_;
  std::deque<std::size_t> pulled_;  // pulled arms of events that are not learned yet
};

// No round for a fresh model, otherwise 1 round.
[[nodiscard]] Task<BatchModel> model_at_start(Party& party, const BatchPlan& plan, BanditSite& site,
                                              BanditSchedule schedule);

}  // namespace sotto::apps::bandit
