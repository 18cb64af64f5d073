#include "apps/bandit/model/step/single_step.h"

#include <optional>
#include <utility>

#include "apps/bandit/model/step/step_plan.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

struct ChosenArm {
  std::optional<Masked> words;  // a column
  std::optional<MaskedBits> bits;
};

Task<ChosenArm> mask_arm(Party& party, Arith one_hot) {
  ChosenArm chosen;
  if (selects_by_bits(party)) {
    chosen.bits = co_await mask_bits(party, one_hot, "arm");
  } else {
    chosen.words = co_await mask(party, std::move(one_hot), "arm");
  }
  co_return chosen;
}

Arith selected(Party& party, const ChosenArm& chosen, Shape shape, const Masked& y) {
  const MatMul map(shape, y.shape());
  if (chosen.words) return product(party, map, chosen.words->reshaped(shape), y);
  MaskedBits bits = *chosen.bits;
  bits.shape = shape;
  return select(party, map, bits, y);
}

Arith of_pulled(Party& party, const ChosenArm& chosen, const Masked& y) {
  return selected(party, chosen, Shape{1, y.shape().rows}, y);
}

Arith at_pulled(const CurrentStep& at, const ChosenArm& chosen, const Masked& y) {
  return selected(at.party, chosen, Shape{at.plan.parameters.arms, 1}, y);
}

// Rounds 1-4.
struct Chosen {
  Masked scores;
  ChosenArm arm;
};

Task<Chosen> choose_and_pull(const CurrentStep& at, const LearnedModel& model, const Masked& x) {
  Masked scores = co_await mask(at.party, row_dot(at.party, model.weights, x), "scores");
  const Arith one_hot = co_await chosen_arm(at, scores);
  auto [opened, arm] = co_await when_all(open_to_actor(at, one_hot), mask_arm(at.party, one_hot));
  co_return Chosen{std::move(scores), std::move(arm)};
}

// Records a pull, which the refresh adds to A and b. If bits select the arm, this function adds x x' and r x to A and b
// at once. 1 round.
Task<void> note_pull(const CurrentStep& at, const ChosenArm& arm, const Masked& x, const Masked& reward,
                     LearnedModel& model, PendingPulls& pulls) {
  Party& party = at.party;
  if (arm.words) {
    const Masked of_arms = co_await mask(party, row_scale(party, *arm.words, x), "o x");
    pulls.add(of_arms, x, reward);
    co_return;
  }
  auto [xx, rx] = co_await when_all(mask(party, product(party, RowTriangles(x.shape(), x.shape()), x, x), "x x'"),
                                    mask(party, row_scale(party, reward, x), "r x"));
  model.gram += at_pulled(at, arm, xx);
  model.targets += at_pulled(at, arm, rx);
}

// Rounds 10, 11.
Task<NextContext> update(const CurrentStep& at, const ChosenArm& arm, const Masked& u, const Masked& v,
                         const Masked& surprise, LearnedModel& model, Task<NextContext> next) {
  Party& party = at.party;
  auto [uv, change] = co_await when_all(mask(party, symmetric_outer(party, u, v).times(1, 1), "u v' + v u'"),
                                        mask(party, row_scale(party, surprise, v), "v (r - s)"));
  Arith inverse = model.inverse.shares(party) - at_pulled(at, arm, uv);
  const unsigned more = change.scale() - at.plan.step->weight_bits;
  Arith weights = at_pulled(at, arm, change);
  weights += model.weights.shares(party).times(std::uint64_t{1} << more, more);
  auto [W, w, following] = co_await when_all(mask(party, std::move(inverse), "all W"),
                                             mask_trunc(party, std::move(weights), more, "w"), std::move(next));
  model.inverse = std::move(W);
  model.weights = std::move(w);
  co_return std::move(following);
}

}  // namespace

Task<NextContext> pulled_arm_step(CurrentStep at, Masked x, LearnedModel& model, PendingPulls& pulls,
                                  Task<NextContext> next) {
  Party& party = at.party;
  const StepPlan& plan = *at.plan.step;
  const Chosen chosen = co_await choose_and_pull(at, model, x);

  Arith whole_W = of_pulled(party, chosen.arm, model.inverse);
  Arith whole_s = of_pulled(party, chosen.arm, chosen.scores);
  const unsigned W_cut = whole_W.scale() - plan.inverse_bits;
  const unsigned s_cut = whole_s.scale() - plan.score_bits;
  auto [W, s, reward] =
      co_await when_all(mask_trunc(party, std::move(whole_W), W_cut, "W of the arm"),
                        mask_trunc(party, std::move(whole_s), s_cut, "s of the arm"), share_reward(at));

  PendingProduct Wx = pending_product<SymmetricMatVec>(party, W, x);
  const unsigned u_cut = Wx.scale() - plan.product_bits;
  auto [u, noted] = co_await when_all(mask_trunc(party, std::move(Wx), u_cut, "u = W x"),
                                      note_pull(at, chosen.arm, x, reward, model, pulls));
  auto [d, plain_u] = co_await when_all(divisor(at, u, x), mask(party, u.shares(party), "u again"));
  const Masked v = co_await divide(party, plain_u, std::move(d), plan.division);
  co_return co_await update(at, chosen.arm, plain_u, v, surprise(at, reward, s), model, std::move(next));
}

}  // namespace sotto::apps::bandit
