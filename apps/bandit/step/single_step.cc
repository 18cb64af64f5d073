#include "sotto/apps/bandit/step/single_step.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sotto/apps/bandit/step/refresh.h"
#include "sotto/apps/bandit/step/step_plan.h"
#include "sotto/apps/bandit/stretches.h"
#include "sotto/apps/bandit/widths.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/sharing/rearrange.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/io/open.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/preprocessing/next_stretch.h"

namespace sotto::apps {
namespace {

using namespace protocols;

// Every holder's part of the context, side by side.
Task<Masked> share_context(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step) {
  PoolVector<Task<Masked>> inputs;
  for (std::size_t owner = 0; owner < plan.parameters.columns.size(); ++owner) {
    const Shape shape{1, plan.parameters.columns[owner]};
    const NodeId node = plan.parameters.holders().node(owner);
    Input input = input_at(party, node, shape, plan.context_bits,
                           [&](std::span<std::uint64_t> out) { site.context(owner, step, out); });
    inputs.push_back(share_input(party, node, std::move(input), "context"));
  }
  const PoolVector<Masked> parts = co_await when_all(std::move(inputs));
  co_return hstack(parts);
}

// Of the step after `step`, where contexts are known ahead and there is one.
Task<std::optional<Masked>> share_next_context(Party& party, const BanditPlan& plan, BanditSite& site,
                                               std::uint64_t step) {
  if (!plan.parameters.contexts_ahead || step + 1 == plan.parameters.steps) co_return std::nullopt;
  co_return co_await share_context(party, plan, site, step + 1);
}

// What a step is played with.
struct Begun {
  Masked x;
  Masked scores;  // for the choice of the arm
  Masked s;       // and to learn from, truncated
  Masked u;       // W_a x
};

// Round 1.
Task<Begun> begin(Party& party, const StepPlan& plan, const LearnedModel& model, Masked x) {
  const Arith dots = row_dot(party, model.weights, x);
  PendingProduct Wx = pending_product<SymmetricMatVec>(party, model.inverse, x);
  const unsigned s_cut = dots.scale() - plan.score_bits;
  const unsigned u_cut = Wx.scale() - plan.product_bits;
  auto [scores, s, u] = co_await when_all(mask(party, dots, "scores"), mask_trunc(party, dots, s_cut, "s = w x"),
                                          mask_trunc(party, std::move(Wx), u_cut, "u = W x"));
  co_return Begun{std::move(x), std::move(scores), std::move(s), std::move(u)};
}

// Rounds 2 to 4: the one-hot of the arm, opened to the actor, who pulls it, and masked.
Task<Masked> choose_and_pull(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step,
                             Masked scores) {
  const ArgmaxOptions options{scores.scale() - compared_bits, plan.comparison_bits, plan.parameters.exploration};
  const Arith one_hot = co_await argmax(party, std::move(scores), options);
  Arith for_actor = one_hot.in_ring(8);  // the actor needs bits, not words
  auto [arm, o] = co_await when_all(open_to(party, actor_of(party.topology()), std::move(for_actor), "arm to actor"),
                                    mask(party, one_hot, "arm"));
  arm.if_known([&](const Words& bits) { site.pull(step, arm_of(bits, step)); });
  co_return o;
}

// Rounds 2 to 4: v_a = W_a x / (1 + x' W_a x).
Task<Masked> gain(Party& party, const StepPlan& plan, Masked u, Masked x) {
  const unsigned fu = plan.product_bits;
  PendingProduct denominator =
      plus(party, pending_product<RowDot>(party, u, x), std::uint64_t{1} << (plan.context_bits + fu));
  const unsigned d_cut = denominator.scale() - plan.divisor_bits;
  Masked d = co_await mask_trunc(party, std::move(denominator), d_cut, "1 + u x");
  co_return co_await divide(party, std::move(u), std::move(d), plan.division);
}

// The share of an update that concerns the pulled arm.
struct Pulled {
  Masked u;       // -o_a W_a x
  Masked v;       // o_a v_a
  Masked x;       // o_a x
  Masked reward;  // r
};

// Round 5.
Task<Pulled> pulled_of(Party& party, const BanditPlan& plan, BanditSite& site, std::uint64_t step, const Masked& o,
                       const Begun& begun, const Masked& v) {
  const NodeId rewarder = rewarder_of(party.topology());
  Input reward = input_at(party, rewarder, Shape{1, 1}, plan.reward_bits,
                          [&](std::span<std::uint64_t> out) { out[0] = site.reward(step); });
  auto [ou, ov, ox, r] = co_await when_all(
      mask(party, -row_scale(party, o, begun.u), "o u"), mask(party, row_scale(party, o, v), "o v"),
      mask(party, row_scale(party, o, begun.x), "o x"), share_input(party, rewarder, std::move(reward), "reward"));
  co_return Pulled{std::move(ou), std::move(ov), std::move(ox), std::move(r)};
}

// Round 6: W_a - o_a u_a v_a', as W_a - o_a (u_a v_a' + v_a u_a') / 2. u and v are parallel but for their rounding. By
// one half alone u_i v_j and u_j v_i would be rounded differently, which moves x' W_a x for every x by as much as the
// error of u or v, also where W_a is tiny.
Task<Masked> updated_inverse(Party& party, const StepPlan& plan, const Masked& u, const Masked& v, const Masked& W) {
  const unsigned more = 2 * plan.product_bits + 1 - plan.inverse_bits;
  PendingProduct both_halves = pending_product<SymmetricOuter>(party, u, v).times(1, 1);
  PendingProduct sum = plus_multiple(party, std::move(both_halves), W, std::uint64_t{1} << more, more);
  co_return co_await mask_trunc(party, std::move(sum), more, "W");
}

// Round 6: w_a + o_a v_a (r - s_a).
Task<Masked> updated_weights(Party& party, const StepPlan& plan, const Pulled& pulled, const Masked& s,
                             const Masked& weights) {
  const unsigned up = plan.score_bits - plan.reward_bits;
  const PoolVector<std::uint32_t> one_for_all(s.lanes(), 0);
  const Masked r = rearranged(pulled.reward, s.shape(), one_for_all).times(std::uint64_t{1} << up, up);
  PendingProduct change = pending_product<RowScale>(party, r - s, pulled.v);
  const unsigned more = change.scale() - plan.weight_bits;
  PendingProduct sum = plus_multiple(party, std::move(change), weights, std::uint64_t{1} << more, more);
  co_return co_await mask_trunc(party, std::move(sum), more, "w");
}

// The steps of one role's run.
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
    if (!next_) next_ = co_await share_context(party_, plan_, site_, step);  // a round of its own
    Masked x = std::move(*next_);
    const Begun begun = co_await begin(party_, step_plan_, model_, std::move(x));
    auto [o, v] = co_await when_all(choose_and_pull(party_, plan_, site_, step, begun.scores),
                                    gain(party_, step_plan_, begun.u, begun.x));
    const Pulled pulled = co_await pulled_of(party_, plan_, site_, step, o, begun, v);
    auto [W, w, next] = co_await when_all(updated_inverse(party_, step_plan_, pulled.u, v, model_.inverse),
                                          updated_weights(party_, step_plan_, pulled, begun.s, model_.weights),
                                          share_next_context(party_, plan_, site_, step));
    model_.inverse = std::move(W);
    model_.weights = std::move(w);
    next_ = std::move(next);
    pulls_.add(pulled.x, begun.x, pulled.reward);
    site_.step_done(step);
  }

  // By the number of steps alone, so that a run that goes on plays the same program.
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
  std::optional<Masked> next_;  // the context of the next step, where it is shared already
};

}  // namespace

Task<BanditModel> single_steps(Party& party, const BanditPlan& plan, BanditSite& site, BanditSchedule schedule) {
  if (schedule.from_step > plan.parameters.steps) {
    throw std::invalid_argument("the run has no such step to start from");
  }
  Steps steps(party, plan, site, schedule);
  co_return co_await steps.play();
}

}  // namespace sotto::apps
