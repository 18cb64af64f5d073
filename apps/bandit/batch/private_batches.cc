#include "sotto/apps/bandit/batch/private_batches.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "sotto/apps/bandit/batch/decide.h"
#include "sotto/apps/bandit/batch/learn.h"
#include "sotto/apps/bandit/state/model_store.h"

namespace sotto::apps {
namespace {

// One role's side of the turns: what its site brings, and at the actor the arms of the events that are not learned yet.
class Turns {
 public:
  Turns(const BatchPlan& plan, BanditSite& site) : plan_(plan), site_(site) {}

  [[nodiscard]] FillContexts contexts(EventRange events) const {
    return [this, events](std::size_t party, std::span<std::uint64_t> out) {
      const std::size_t columns = out.size() / events.count;
      for (std::size_t e = 0; e < events.count; ++e) {
        site_.context(party, events.first + e, out.subspan(e * columns, columns));
      }
    };
  }

  void begin(EventRange events) {
    for (std::size_t e = 0; e < events.count; ++e) site_.step_begins(events.first + e);
  }

  void pull(EventRange events, const Public& chosen) {
    const std::size_t arms = plan_.parameters.arms;
    chosen.if_known([&](const Words& words) {
      for (std::size_t e = 0; e < events.count; ++e) {
        const std::size_t arm = arm_of(std::span(words).subspan(e * arms, arms), events.first + e);
        pulled_.push_back(arm);
        site_.pull(events.first + e, arm);
      }
    });
    site_.decided(events.first, events.count);
  }

  [[nodiscard]] Lessons lessons(EventRange events) {
    Lessons lessons{events.count, contexts(events), {}, {}, {}};
    lessons.arms = [this](std::span<std::uint64_t> out) {
      const std::size_t arms = plan_.parameters.arms;
      std::fill(out.begin(), out.end(), 0);
      for (std::size_t e = 0; e < out.size() / arms; ++e, pulled_.pop_front()) out[e * arms + pulled_.front()] = 1;
    };
    lessons.rewards = [this, events](std::span<std::uint64_t> out) { site_.rewards(events.first, out); };
    lessons.learned = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 1); };
    return lessons;
  }

  void end(EventRange events) {
    for (std::size_t e = 0; e < events.count; ++e) site_.step_done(events.first + e);
  }

 private:
  const BatchPlan& plan_;
  BanditSite& site_;
  std::deque<std::size_t> pulled_;
};

}  // namespace

Task<BanditModel> private_batches(Party& party, const BatchPlan& plan, BatchSchedule order, BanditSite& site,
                                  BanditSchedule schedule) {
  BatchModel model = initial_batch_model(party, plan);
  if (schedule.from_step > 0) {
    party.enter_phase(restore_phase);
    model = co_await restored(party, site, schedule.from_step, std::move(model));
  }
  Turns turns(plan, site);
  std::uint64_t saved = schedule.from_step;
  while (!order.done()) {
    const BatchTurn turn = order.next();
    if (!turn.learns) {
      party.enter_phase(decide_phase);
      turns.begin(turn.events);
      const Public chosen = co_await decide(party, plan, model.weights, turn.events.count, turns.contexts(turn.events));
      turns.pull(turn.events, chosen);
      continue;
    }
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

}  // namespace sotto::apps
