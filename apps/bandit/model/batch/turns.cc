#include "apps/bandit/model/batch/turns.h"

#include <algorithm>
#include <utility>

#include "apps/bandit/model/opened_arm.h"
#include "apps/bandit/model/phases.h"

namespace sotto::apps::bandit {

FillContexts Turns::contexts(EventRange events) const {
  return [this, events](std::size_t party, std::span<std::uint64_t> out) {
    const std::size_t columns = out.size() / events.count;
    for (std::size_t e = 0; e < events.count; ++e) {
      site_.contexts().context(party, events.first + e, out.subspan(e * columns, columns));
    }
  };
}

void Turns::begin(EventRange events) {
  for (std::size_t e = 0; e < events.count; ++e) site_.step_begins(events.first + e);
}

void Turns::pull(EventRange events, const Public& chosen) {
  const std::size_t arms = plan_.parameters.arms;
  chosen.if_known([&](const Words& words) {
    for (std::size_t e = 0; e < events.count; ++e) {
      const std::size_t arm = arm_of(std::span(words).subspan(e * arms, arms), events.first + e);
      pulled_.push_back(arm);
      site_.arms().pull(events.first + e, arm);
    }
  });
  site_.decided(events.first, events.count);
}

void Turns::fill_arms(EventRange events, std::span<std::uint64_t> out) {
  const std::size_t arms = plan_.parameters.arms;
  const bool logged = plan_.parameters.task != BanditTask::play;
  std::fill(out.begin(), out.end(), 0);
  for (std::size_t e = 0; e < events.count; ++e) {
    std::size_t arm = 0;
    if (logged) {
      arm = site_.arms().logged_arm(events.first + e);
    } else {
      arm = pulled_.front();
      pulled_.pop_front();
    }
    out[e * arms + arm] = 1;
  }
}

Lessons Turns::lessons(EventRange events) {
  Lessons lessons{events.count, contexts(events), {}, {}, {}};
  lessons.arms = [this, events](std::span<std::uint64_t> out) { fill_arms(events, out); };
  lessons.rewards = [this, events](std::span<std::uint64_t> out) { site_.rewards().rewards(events.first, out); };
  lessons.learned = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 1); };
  return lessons;
}

void Turns::end(EventRange events) {
  for (std::size_t e = 0; e < events.count; ++e) site_.step_done(events.first + e);
}

Task<BatchModel> model_at_start(Party& party, const BatchPlan& plan, BanditSite& site, BanditSchedule schedule) {
  BatchModel model = initial_batch_model(party, plan);
  if (schedule.from_step > 0) {
    party.enter_phase(restore_phase);
    model = co_await restored(party, site, schedule.from_step, std::move(model));
  } else if (plan.parameters.events_before > 0) {
    party.enter_phase(restore_phase);
    model = co_await begun(party, site, plan.parameters, std::move(model));
  }
  co_return model;
}

}  // namespace sotto::apps::bandit
