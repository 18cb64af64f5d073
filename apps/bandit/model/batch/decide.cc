#include "apps/bandit/model/batch/decide.h"

#include <utility>

#include "apps/bandit/model/widths.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/share_input.h"
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

}  // namespace sotto::apps::bandit
