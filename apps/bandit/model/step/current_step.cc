#include "apps/bandit/model/step/current_step.h"

#include <span>
#include <utility>

#include "apps/bandit/model/opened_arm.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/model/widths.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/io/share_input.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {

using namespace protocols;

Task<Arith> chosen_arm(const CurrentStep& at, Masked scores) {
  const ArgmaxOptions options{scores.scale() - compared_bits, at.plan.comparison_bits, at.plan.parameters.exploration};
  return argmax(at.party, std::move(scores), options);
}

Task<void> tell_actor(const CurrentStep& at, Arith one_hot) {
  Arith for_actor = one_hot.in_ring(8);  // the actor needs bits, not words
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
