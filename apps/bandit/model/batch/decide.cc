#include "apps/bandit/model/batch/decide.h"

#include <utility>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {

using namespace protocols;

Task<Masked> share_contexts(Party& party, const BatchPlan& plan, std::size_t events, FillContexts fill) {
  PoolVector<Task<Masked>> inputs;
  for (std::size_t owner = 0; owner < plan.parameters.columns.size(); ++owner) {
    const Shape shape{events, plan.parameters.columns[owner]};
    const NodeId node = plan.parameters.holders().node(owner);
    Input input =
        input_at(party, node, shape, plan.context_bits, [&](std::span<std::uint64_t> out) { fill(owner, out); });
    inputs.push_back(share_input(party, node, std::move(input), "contexts"));
  }
  const PoolVector<Masked> parts = co_await when_all(std::move(inputs));
  co_return hstack(parts);
}

Task<Public> decide(Party& party, const BatchPlan& plan, const Masked& weights, std::size_t events, FillContexts fill,
                    AllowedArms allowed) {
  return decide(party, plan, weights.shares(party), events, std::move(fill), std::move(allowed));
}

Task<Public> decide(Party& party, const BatchPlan& plan, Arith weights, std::size_t events, FillContexts fill,
                    AllowedArms allowed, SentWords sent) {
  // 1. The contexts, and weights without a carry term.
  auto [x, w] = co_await when_all(share_contexts(party, plan, events, std::move(fill)),
                                  mask(party, std::move(weights), "w again"));

  // 2. s_a = w_a . x, up to the highest bit that is compared.
  const ArgmaxOptions options{x.scale() + w.scale() - compared_bits, plan.comparison_bits, plan.parameters.exploration};
  const Masked by_arm = transposed(w);
  Arith dots = product(party, MatMul(x.shape(), by_arm.shape()), x, by_arm, options.shift + options.comparison_bits);
  Masked scores = co_await mask(party, std::move(dots), "scores");

  // 3 to 5. The best allowed arm, or a uniform one.
  Arith chosen = co_await choose(party, std::move(scores), std::move(allowed), options);
  co_return co_await open_to(party, actor_of(party.topology()), std::move(chosen), "arms to actor", std::move(sent));
}

Task<AgreementOf> agree(Party& party, const BatchPlan& plan, Arith weights, PlayedEvents events) {
  const NodeId actor = actor_of(party.topology());
  const Shape shape{events.events, plan.parameters.arms};

  // 1. What everybody brings, and the number of before.
  Input played = input_at(party, actor, shape, 0, events.played);
  Arith to_show = shares_from(party, Shape{1, 1}, 0, [&](std::span<std::uint64_t> out) { out[0] = events.shown; });
  auto [x, w, o, shown] = co_await when_all(
      share_contexts(party, plan, events.events, std::move(events.contexts)),
      mask(party, std::move(weights), "w again"), share_input(party, actor, std::move(played), "played arms"),
      open_to(party, actor, std::move(to_show), "agreement to actor", std::move(events.sent)));

  // 2. s_a = w_a . x.
  Arith dots = matmul(party, x, transposed(w));
  Masked scores = co_await mask(party, std::move(dots), "scores");

  // 3 and 4. The best allowed arm.
  const ScoreWidths widths{scores.scale() - compared_bits, plan.comparison_bits};
  Samples ranks = draw_samples(party, shape.rows, shape.columns, Exploration{});
  Arith best = co_await winners(party, std::move(scores), std::move(events.allowed), std::move(ranks), widths, 64);

  // 5. One inner product over all events and arms.
  const Masked b = co_await mask(party, std::move(best), "best arms");
  Arith agreed = matmul(party, o.reshaped(Shape{1, shape.lanes()}), b.reshaped(Shape{shape.lanes(), 1}));
  co_return AgreementOf{std::move(agreed), std::move(shown)};
}

}  // namespace sotto::apps::bandit
