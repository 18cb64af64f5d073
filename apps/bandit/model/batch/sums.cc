#include "apps/bandit/model/batch/sums.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

Task<Masked> share_column(Party& party, NodeId owner, Shape shape, unsigned scale,
                          std::function<void(std::span<std::uint64_t>)> fill, Label label) {
  Input input = input_at(party, owner, shape, scale, fill);
  co_return co_await share_input(party, owner, std::move(input), label);
}

template <class T>
Task<PoolVector<T>> side_by_side(PoolVector<Task<T>> tasks) {
  co_return co_await when_all(std::move(tasks));
}

Task<MaskedBits> share_arms_as_bits(Party& party, std::size_t events, std::size_t arms,
                                    std::function<void(std::span<std::uint64_t>)> fill) {
  const NodeId actor = actor_of(party.topology());
  Input input = input_at(party, actor, Shape{arms, events}, 0, [&](std::span<std::uint64_t> out) {
    Words by_event(out.size());
    fill(by_event);
    for (std::size_t i = 0; i < out.size(); ++i) out[i % arms * events + i / arms] = by_event[i];
  });
  co_return co_await share_bits(party, actor, std::move(input), "arms");
}

// The pulls o_a x and l x (sums.h). If all events are learned, `of_all` is x.
struct Pulls {
  Masked of_arms;  // D columns per arm
  Masked of_all;
};

Task<Pulls> pulls_of(Party& party, const SharedTraining& brought) {
  Task<Masked> of_arms =
      mask(party, product(party, RowOuter(brought.o->shape(), brought.x.shape()), *brought.o, brought.x), "o x");
  if (!brought.l) {
    Masked ox = co_await std::move(of_arms);
    co_return Pulls{std::move(ox), brought.x};
  }
  auto [ox, lx] = co_await when_all(std::move(of_arms), mask(party, row_scale(party, *brought.l, brought.x), "l x"));
  co_return Pulls{std::move(ox), std::move(lx)};
}

}  // namespace

Task<SharedTraining> share_training(Party& party, const BatchPlan& plan, TrainingEvents lessons) {
  const NodeId actor = actor_of(party.topology());
  const NodeId rewarder = rewarder_of(party.topology());
  const Shape column{lessons.events, 1};
  const Shape arms{lessons.events, plan.parameters.arms};
  PoolVector<Task<Masked>> inputs;
  const bool by_bits = selects_by_bits(party) && !plan.may_skip;
  inputs.push_back(share_contexts(party, plan, lessons.events, lessons.contexts));
  if (!by_bits) inputs.push_back(share_column(party, actor, arms, 0, lessons.arms, "arms"));
  inputs.push_back(share_column(party, rewarder, column, plan.reward_bits, lessons.rewards, "rewards"));
  if (plan.may_skip) inputs.push_back(share_column(party, rewarder, column, 0, lessons.learned, "learned"));
  PoolVector<Task<MaskedBits>> bits;
  if (by_bits) bits.push_back(share_arms_as_bits(party, lessons.events, plan.parameters.arms, lessons.arms));
  auto [shared, chosen] = co_await when_all(side_by_side(std::move(inputs)), side_by_side(std::move(bits)));
  SharedTraining brought;
  std::size_t at = 0;
  brought.x = std::move(shared[at++]);
  if (by_bits) {
    brought.chosen = std::move(chosen[0]);
  } else {
    brought.o = std::move(shared[at++]);
  }
  brought.r = std::move(shared[at++]);
  if (plan.may_skip) brought.l = std::move(shared[at++]);
  co_return brought;
}

Task<Arith> add_training(Party& party, const SharedTraining& brought, Arith& gram, Arith& targets) {
  if (brought.o) {
    const Pulls pulls = co_await pulls_of(party, brought);
    co_return add_events(party, gram, targets, pulls.of_arms, pulls.of_all, brought.r);
  }
  const Masked& x = brought.x;
  auto [xx, rx] = co_await when_all(mask(party, product(party, RowTriangles(x.shape(), x.shape()), x, x), "x x'"),
                                    mask(party, row_scale(party, brought.r, x), "r x"));
  const MaskedBits& o = *brought.chosen;
  Arith sum = select(party, MatMul(o.shape, xx.shape()), o, xx);
  gram += sum;
  targets += select(party, MatMul(o.shape, rx.shape()), o, rx);
  co_return sum;
}

Task<void> sum_training(Party& party, const BatchPlan& plan, Sums& sums, TrainingEvents lessons) {
  const SharedTraining brought = co_await share_training(party, plan, std::move(lessons));
  (void)co_await add_training(party, brought, sums.gram, sums.targets);
}

}  // namespace sotto::apps::bandit
