#include "apps/bandit/model/batch/private_batches.h"

#include <utility>

#include "apps/bandit/model/batch/decide.h"
#include "apps/bandit/model/batch/learn.h"
#include "apps/bandit/model/batch/turns.h"
#include "apps/bandit/model/model_store.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/stretches.h"
#include "sotto/protocol/preprocessing/next_stretch.h"

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
    if (stretches.begins_with_lessons()) co_await protocols::next_stretch(party);
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

}  // namespace sotto::apps::bandit
