#include "apps/bandit/model/step/single_step.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "apps/bandit/model/opened_arm.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/step/refresh.h"
#include "apps/bandit/model/step/step_plan.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

Task<Masked> share_context(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step) {
  PoolVector<Task<Masked>> inputs;
  for (std::size_t owner = 0; owner < plan.parameters.columns.size(); ++owner) {
    const Shape shape{1, plan.parameters.columns[owner]};
    const NodeId node = plan.parameters.holders().node(owner);
    Input input = input_at(party, node, shape, plan.context_bits,
                           [&](std::span<std::uint64_t> out) { site.contexts().context(owner, step, out); });
    inputs.push_back(share_input(party, node, std::move(input), "context"));
  }
  const PoolVector<Masked> parts = co_await when_all(std::move(inputs));
  co_return hstack(parts);
}

Task<NextContext> share_next_context(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step) {
  if (!plan.parameters.contexts_ahead || step + 1 == plan.parameters.steps) co_return std::nullopt;
  co_return co_await share_context(party, plan, site, step + 1);
}

class Steps {
 public:
  Steps(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule)
      : party_(party),
        plan_(plan),
        step_plan_(*plan.step),
        site_(site),
        schedule_(schedule),
        model_(initial_model(party, plan.parameters, step_plan_.model_bits())),
        pulls_(party, plan.parameters, step_plan_,
               std::min(step_plan_.refresh_every, plan.parameters.steps - schedule.from_step)) {}

  Task<BanditModel> play() {
    if (schedule_.from_step > 0) {
      party_.enter_phase(restore_phase);
      model_ = co_await restored(party_, site_, schedule_.from_step, std::move(model_));
    }
    Stretches stretches(plan_.parameters);
    for (std::uint64_t step = schedule_.from_step; step < plan_.parameters.steps; ++step) {
      if (stretches.begins_with_step()) co_await next_stretch(party_);
      party_.enter_phase(step_phase);
      co_await play_step(step);
      co_await between_steps(step + 1);
    }
    if (!plan_.parameters.reveal_model) co_return BanditModel{};
    party_.enter_phase(reveal_phase);
    co_return co_await revealed(party_, model_);
  }

 private:
  Task<void> play_step(std::uint64_t step) {
    site_.step_begins(step);
    if (!next_) next_ = co_await share_context(party_, plan_, site_, step);
    const CurrentStep at{party_, plan_, site_, step};
    Masked x = std::move(*next_);
    Task<NextContext> next = share_next_context(party_, plan_, site_, step);
    const auto play = plan_.parameters.update == StepUpdate::all_arms ? &all_arms_step : &pulled_arm_step;
    next_ = co_await play(at, std::move(x), model_, pulls_, std::move(next));
    site_.step_done(step);
  }

  // The work between steps depends only on the number of steps, so a resumed run plays the same program.
  Task<void> between_steps(std::uint64_t done) {
    if (done % step_plan_.refresh_every == 0) {
      party_.enter_phase(refresh_phase);
      pulls_.enter(party_, model_);
      model_ = co_await refresh(party_, step_plan_, std::move(model_));
    }
    const std::uint64_t every = schedule_.checkpoint_every;
    if (every == 0 || (done % every != 0 && done != plan_.parameters.steps)) co_return;
    party_.enter_phase(checkpoint_phase);
    pulls_.enter(party_, model_);
    co_await save_model(party_, site_, done, kept(party_, model_), model_.inverse, model_.weights);
  }

  Party& party_;
  const BanditPlan& plan_;
  const StepPlan& step_plan_;
  BanditSite& site_;
  BanditSchedule schedule_;
  LearnedModel model_;
  PendingPulls pulls_;
  NextContext next_;  // the context of the next step, if already shared
};

}  // namespace

BanditPlan plan_single_steps(BanditParameters parameters) {
  const StepPlan plan = plan_step(parameters);
  return BanditPlan{std::move(parameters),
                    plan.context_bits,
                    plan.kept_inverse_bits,
                    plan.reward_bits,
                    plan.comparison_bits,
                    std::make_shared<const StepPlan>(plan),
                    nullptr};
}

Task<BanditModel> single_steps(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule) {
  if (schedule.from_step > plan.parameters.steps) {
    throw std::invalid_argument("the run has no such step to start from");
  }
  Steps steps(party, plan, site, schedule);
  co_return co_await steps.play();
}

Task<Arith> chosen_arm(const CurrentStep& at, Masked scores) {
  const ArgmaxOptions options{scores.scale() - compared_bits, at.plan.comparison_bits, at.plan.parameters.exploration};
  return argmax(at.party, std::move(scores), options);
}

Task<void> open_to_actor(const CurrentStep& at, Arith one_hot) {
  Arith for_actor = one_hot.in_ring(8);  // eight bits per entry are enough for an arm
  const Public arm = co_await open_to(at.party, actor_of(at.party.topology()), std::move(for_actor), "arm to actor");
  arm.if_known([&](const Words& bits) { at.site.arms().pull(at.number, arm_of(bits, at.number)); });
}

Task<Masked> share_reward(const CurrentStep& at) {
  const NodeId rewarder = rewarder_of(at.party.topology());
  Input reward = input_at(at.party, rewarder, Shape{1, 1}, at.plan.reward_bits,
                          [&](std::span<std::uint64_t> out) { out[0] = at.site.rewards().reward(at.number); });
  return share_input(at.party, rewarder, std::move(reward), "reward");
}

Masked surprise(const CurrentStep& at, const Masked& reward, const Masked& s) {
  const unsigned up = at.plan.step->score_bits - at.plan.reward_bits;
  const PoolVector<std::uint32_t> one_for_all(s.lanes(), 0);
  return rearranged(reward, s.shape(), one_for_all).times(std::uint64_t{1} << up, up) - s;
}

Task<Masked> divisor(const CurrentStep& at, const Masked& u, const Masked& x) {
  const unsigned scale = u.scale() + x.scale();
  PendingProduct sum = plus(at.party, pending_product<RowDot>(at.party, u, x), std::uint64_t{1} << scale);
  return mask_trunc(at.party, std::move(sum), scale - at.plan.step->divisor_bits, "1 + u x");
}

}  // namespace sotto::apps::bandit
