#include "apps/bandit/model/batch/private_batches.h"

#include <algorithm>
#include <utility>

#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/opened_arm.h"
#include "apps/bandit/model/phases.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"

namespace sotto::apps::bandit {

Task<BanditModel> private_batches(Party& party, const BatchPlan& plan, BatchSchedule order, BanditSite& site,
                                  BanditSchedule schedule) {
  BatchModel model = co_await model_at_start(party, plan, site, schedule);
  Turns turns(plan, site);
  const bool decides = plan.parameters.task == BanditTask::play;
  Stretches stretches(plan.parameters);
  std::uint64_t saved = schedule.from_step;
  while (!order.done()) {
    const BatchTurn turn = order.next();
    if (!turn.learns) {
      turns.begin(turn.events);
      if (!decides) continue;
      if (stretches.begins_with_decisions(turn.events.count)) co_await protocols::next_stretch(party);
      party.enter_phase(decide_phase);
      const Public chosen = co_await decide(party, plan, model.weights, turn.events.count, turns.contexts(turn.events));
      turns.pull(turn.events, chosen);
      continue;
    }
    if (stretches.begins_with_training()) co_await protocols::next_stretch(party);
    party.enter_phase(learn_phase);
    model = co_await learn(party, plan, std::move(model), turns.lessons(turn.events));
    turns.end(turn.events);
    const std::uint64_t every = schedule.checkpoint_every;
    if (every == 0 || (order.learned() / every == saved / every && !order.done())) continue;
    saved = order.learned();
    party.enter_phase(checkpoint_phase);
    co_await save_model(party, site, saved, kept(party, model), model.inverse, model.weights);
  }
  if (!plan.parameters.reveal_model) co_return BanditModel{};
  party.enter_phase(reveal_phase);
  co_return co_await revealed(party, model);
}

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

TrainingEvents Turns::lessons(EventRange events) {
  TrainingEvents lessons{events.count, contexts(events), {}, {}, {}};
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
