#include "apps/bandit/model/step/single_step.h"

#include <cstdint>
#include <utility>

#include "apps/bandit/model/step/step_plan.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

struct Begun {
  Masked x;
  Masked scores;  // to choose the arm
  Masked s;       // truncated, to learn from
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

// Rounds 2-4.
Task<Masked> choose_and_pull(const CurrentStep& at, Masked scores) {
  const Arith one_hot = co_await chosen_arm(at, std::move(scores));
  auto [opened, o] = co_await when_all(open_to_actor(at, one_hot), mask(at.party, one_hot, "arm"));
  co_return o;
}

// Rounds 2-4.
Task<Masked> gain(const CurrentStep& at, Masked u, Masked x) {
  Masked d = co_await divisor(at, u, x);
  co_return co_await divide(at.party, std::move(u), std::move(d), at.plan.step->division);
}

struct Pulled {
  Masked u;       // -o_a W_a x
  Masked v;       // o_a v_a
  Masked x;       // o_a x
  Masked reward;  // r
};

// Round 5.
Task<Pulled> pulled_of(const CurrentStep& at, const Masked& o, const Begun& begun, const Masked& v) {
  Party& party = at.party;
  auto [ou, ov, ox, r] =
      co_await when_all(mask(party, -row_scale(party, o, begun.u), "o u"), mask(party, row_scale(party, o, v), "o v"),
                        mask(party, row_scale(party, o, begun.x), "o x"), share_reward(at));
  co_return Pulled{std::move(ou), std::move(ov), std::move(ox), std::move(r)};
}

// Round 6: W_a - o_a u_a v_a', computed as W_a - o_a (u_a v_a' + v_a u_a') / 2.
// If the update used only one of these two products, entry (i, j) and entry (j, i) would be rounded differently. This
// difference would change x' W_a x for every x by as much as the error of u or v, even where W_a is tiny.
Task<Masked> updated_inverse(Party& party, const StepPlan& plan, const Masked& u, const Masked& v, const Masked& W) {
  const unsigned more = 2 * plan.product_bits + 1 - plan.inverse_bits;
  PendingProduct both_halves = pending_product<SymmetricOuter>(party, u, v).times(1, 1);
  PendingProduct sum = plus_multiple(party, std::move(both_halves), W, std::uint64_t{1} << more, more);
  co_return co_await mask_trunc(party, std::move(sum), more, "W");
}

// Round 6.
Task<Masked> updated_weights(const CurrentStep& at, const Pulled& pulled, const Masked& s, const Masked& weights) {
  PendingProduct change = pending_product<RowScale>(at.party, surprise(at, pulled.reward, s), pulled.v);
  const unsigned more = change.scale() - at.plan.step->weight_bits;
  PendingProduct sum = plus_multiple(at.party, std::move(change), weights, std::uint64_t{1} << more, more);
  co_return co_await mask_trunc(at.party, std::move(sum), more, "w");
}

}  // namespace

Task<NextContext> all_arms_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                Task<NextContext> next) {
  const StepPlan& plan = *at.plan.step;
  const Begun begun = co_await begin(at.party, plan, model, std::move(x));
  auto [o, v] = co_await when_all(choose_and_pull(at, begun.scores), gain(at, begun.u, begun.x));
  const Pulled pulled = co_await pulled_of(at, o, begun, v);
  auto [W, w, following] = co_await when_all(updated_inverse(at.party, plan, pulled.u, v, model.inverse),
                                             updated_weights(at, pulled, begun.s, model.weights), std::move(next));
  model.inverse = std::move(W);
  model.weights = std::move(w);
  pulls.add(pulled.x, begun.x, pulled.reward);
  co_return std::move(following);
}

}  // namespace sotto::apps::bandit
