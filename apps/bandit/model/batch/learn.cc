#include "apps/bandit/model/batch/learn.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "apps/bandit/model/newton_schulz.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/sharing/rearrange.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

std::uint64_t one(unsigned bits) { return std::uint64_t{1} << bits; }

// What the roles brought in round 1, and W without a carry term.
struct Brought {
  Masked x, r, W;
  // The arms, as words or, an arm a row, as bits.
  std::optional<Masked> o;
  std::optional<MaskedBits> chosen;
  std::optional<Masked> l;
};

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

Task<Brought> bring(Party& party, const BatchPlan& plan, Arith inverse, Lessons lessons) {
  const NodeId actor = actor_of(party.topology());
  const NodeId rewarder = rewarder_of(party.topology());
  const Shape column{lessons.events, 1};
  const Shape arms{lessons.events, plan.parameters.arms};
  PoolVector<Task<Masked>> inputs;
  // Bits select where that is cheaper, and all events are learned.
  const bool by_bits = selects_by_bits(party) && !plan.may_skip;
  inputs.push_back(share_contexts(party, plan, lessons.events, lessons.contexts));
  if (!by_bits) inputs.push_back(share_column(party, actor, arms, 0, lessons.arms, "arms"));
  inputs.push_back(share_column(party, rewarder, column, plan.reward_bits, lessons.rewards, "rewards"));
  inputs.push_back(mask(party, std::move(inverse), "W again"));
  if (plan.may_skip) inputs.push_back(share_column(party, rewarder, column, 0, lessons.learned, "learned"));
  PoolVector<Task<MaskedBits>> bits;
  if (by_bits) bits.push_back(share_arms_as_bits(party, lessons.events, plan.parameters.arms, lessons.arms));
  auto [shared, chosen] = co_await when_all(side_by_side(std::move(inputs)), side_by_side(std::move(bits)));
  Brought brought;
  std::size_t at = 0;
  brought.x = std::move(shared[at++]);
  if (by_bits) {
    brought.chosen = std::move(chosen[0]);
  } else {
    brought.o = std::move(shared[at++]);
  }
  brought.r = std::move(shared[at++]);
  brought.W = std::move(shared[at++]);
  if (plan.may_skip) brought.l = std::move(shared[at++]);
  co_return brought;
}

// At so many fraction bits: each entry moves by less than one unit, and by none in the mean. Nothing where it has them.
Task<Arith> rounded(Party& party, Arith value, unsigned bits, Label label) {
  if (value.scale() == bits) co_return std::move(value);
  const Masked cut = co_await copy_at(party, std::move(value), bits, label);
  co_return cut.shares(party);
}

// Round 2: o_a x, and l x, which is x where all events are learned.
struct Pulls {
  Masked of_arms;  // an event a row, D columns an arm
  Masked of_all;
};

Task<Pulls> pulls_of(Party& party, const Brought& brought) {
  Task<Masked> of_arms =
      mask(party, product(party, RowOuter(brought.o->shape(), brought.x.shape()), *brought.o, brought.x), "o x");
  if (!brought.l) {
    Masked ox = co_await std::move(of_arms);
    co_return Pulls{std::move(ox), brought.x};
  }
  auto [ox, lx] = co_await when_all(std::move(of_arms), mask(party, row_scale(party, *brought.l, brought.x), "l x"));
  co_return Pulls{std::move(ox), std::move(lx)};
}

// Round 2, and the sums of round 3, exact: those of o_a x and l x where masked words select, those of x x' and r x
// where bits do. Returns what was added to A.
Task<Arith> add_lessons(Party& party, const Brought& brought, Arith& gram, Arith& targets) {
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

// floor(2^20 / (1 + t/2)) for the upper end t of each cell.
std::vector<std::uint64_t> step_lengths(const BatchPlan& plan) {
  std::vector<std::uint64_t> table(std::size_t{1} << plan.table_bits);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double half = std::ldexp(static_cast<double>(i + 1), -1 - static_cast<int>(BatchPlan::cell_bits));
    table[i] = static_cast<std::uint64_t>(std::floor(std::ldexp(1.0, BatchPlan::step_bits) / (1 + half)));
  }
  return table;
}

// Rounds 4 and 5: the step length c_a from t_a = tr(W_a S_a), masked.
Task<Masked> step_length(Party& party, const BatchPlan& plan, const SymmetricLanes& lanes, const Masked& W,
                         const Masked& S) {
  Arith trace = row_dot(party, lanes.doubled(S), W);
  const unsigned scale = trace.scale();
  Masked t = co_await mask(party, plus(party, std::move(trace), one(scale - 5)), "t = tr(W S)");
  const MaskedIndex cell = MaskedIndex::bit_range(t, scale - BatchPlan::cell_bits, plan.table_bits);
  std::vector<std::uint64_t> table;  // filled where it is asked for: at the dealer
  const auto entry = [&](std::size_t, std::uint64_t i) {
    if (table.empty()) table = step_lengths(plan);
    return table[i];
  };
  const Arith looked_up = table_lookup(party, cell, 64, entry, 3);
  Arith c(looked_up.shape(), BatchPlan::step_bits, ShareAccess::words(looked_up));
  co_return co_await mask(party, std::move(c), "c");
}

}  // namespace

BatchModel initial_batch_model(const Party& party, const BatchPlan& plan) {
  return initial_model(party, plan.parameters, plan.model_bits());
}

BatchShares shares_of(const Party& party, BatchModel model) {
  Arith inverse = model.inverse.shares(party);
  Arith weights = model.weights.shares(party);
  return BatchShares{std::move(model.gram), std::move(model.targets), std::move(inverse), std::move(weights)};
}

Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchModel model, Lessons lessons) {
  return learn(party, plan, shares_of(party, std::move(model)), std::move(lessons));
}

Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchShares model, Lessons lessons) {
  const std::size_t d = plan.parameters.features();
  const std::size_t arms = plan.parameters.arms;
  const SymmetricLanes lanes(arms, d);

  // 1. What the roles bring; A and b of an imported model at the service's bits.
  const ModelBits bits = plan.model_bits();
  auto [brought, gram, targets] =
      co_await when_all(bring(party, plan, std::move(model.inverse), std::move(lessons)),
                        rounded(party, std::move(model.gram), bits.gram, "A, rounded"),
                        rounded(party, std::move(model.targets), bits.targets, "b, rounded"));
  model.gram = std::move(gram);
  model.targets = std::move(targets);

  // 2, 3. The sums, exact, and copies of them that enter products.
  Arith S = co_await add_lessons(party, brought, model.gram, model.targets);
  auto [cut_A, cut_S, cut_b] = co_await when_all(copy_at(party, model.gram, plan.gram_bits, "A"),
                                                 copy_at(party, std::move(S), plan.sum_bits, "S"),
                                                 copy_at(party, model.targets, plan.target_bits, "b"));

  // 4, 5. The step length; the copies of A and b without carry terms beside it.
  auto [c, A_triangles, b] =
      co_await when_all(step_length(party, plan, lanes, brought.W, cut_S), mask(party, cut_A.shares(party), "A again"),
                        mask(party, cut_b.shares(party), "b again"));
  const Masked A = lanes.whole(A_triangles);

  // 6. W_a <- c_a W_a.
  PendingProduct scaled = pending_product<RowScale>(party, c, brought.W);
  Masked W = co_await mask_trunc(party, std::move(scaled), BatchPlan::step_bits, "c W");

  // 7 on. Newton-Schulz, and in the last iteration w0 = W b and e = b - A w0.
  for (unsigned i = 1; i < BatchPlan::iterations; ++i) {
    const InverseResidual residual = co_await inverse_residual(party, lanes, A, W, plan.residual_bits);
    W = co_await iterated(party, lanes, W, residual, plan.inverse_bits);
  }
  PendingProduct Wb = pending_product<SymmetricMatVec>(party, W, b);
  const unsigned w0_cut = Wb.scale() - plan.weight_bits;
  auto [residual, w0] = co_await when_all(inverse_residual(party, lanes, A, W, plan.residual_bits),
                                          mask_trunc(party, std::move(Wb), w0_cut, "w = W b"));

  PendingProduct Aw = pending_product<SymmetricMatVec>(party, A_triangles, w0);
  const unsigned more = Aw.scale() - model.targets.scale();
  PendingProduct error = -Aw + model.targets.times(one(more), more);
  const unsigned e_cut = error.scale() - plan.correction_bits;
  auto [next_W, e] = co_await when_all(iterated(party, lanes, W, residual, plan.inverse_bits),
                                       mask_trunc(party, std::move(error), e_cut, "b - A w"));

  // 7 + 2k. w = w0 + W e.
  PendingProduct We = pending_product<SymmetricMatVec>(party, next_W, e);
  const unsigned w_cut = We.scale() - plan.weight_bits;
  PendingProduct w = plus_multiple(party, std::move(We), w0, one(w_cut), w_cut);
  Masked weights = co_await mask_trunc(party, std::move(w), w_cut, "w");
  co_return BatchModel{std::move(model.gram), std::move(model.targets), std::move(next_W), std::move(weights)};
}

}  // namespace sotto::apps::bandit
