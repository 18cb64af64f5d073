// One role's side of the turns of a run in batches: what its site brings to decisions and lessons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::apps::bandit {

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
