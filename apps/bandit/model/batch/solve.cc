#include "apps/bandit/model/batch/solve.h"

#include <cmath>
#include <utility>

#include "apps/bandit/model/newton_schulz.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

constexpr unsigned two_thirds_bits = 14;
constexpr std::uint64_t two_thirds = 10923;  // 2/3 with two_thirds_bits fraction bits, rounded up

Arith halved(const Arith& value, unsigned more) {
  return {value.shape(), value.scale() + more, ShareAccess::words(value), value.bits()};
}

Masked identity(const Party& party, const BatchPlan& plan, unsigned scale) {
  return initial_model(party, plan.parameters, {scale, scale, scale, scale}).inverse;
}

Task<PoolVector<Masked>> all_again(Party& party, const PoolVector<Masked>& values, Label label) {
  PoolVector<Task<Masked>> tasks;
  for (const Masked& value : values) tasks.push_back(mask(party, value.shares(party), label));
  co_return co_await when_all(std::move(tasks));
}

Task<PoolVector<Masked>> parts_of(Party& party, const BatchPlan& plan, Arith added) {
  PoolVector<Task<Masked>> cuts;
  for (unsigned s = 0; s < solve_stages(plan); ++s)
    cuts.push_back(copy_at(party, halved(added, s), plan.gram_bits, "A"));
  co_return co_await when_all(std::move(cuts));
}

struct Copies {
  PoolVector<Masked> grams;  // grams[s]: the upper triangles of A(s)
  Masked b;
};

Task<Copies> copies_of(Party& party, const BatchPlan& plan, const Sums& sums) {
  const Arith added = sums.gram - identity(party, plan, sums.gram.scale()).shares(party);
  auto [grams, b] =
      co_await when_all(parts_of(party, plan, added), copy_at(party, sums.targets, plan.target_bits, "b"));
  const Masked one_each = identity(party, plan, plan.gram_bits);
  for (Masked& gram : grams) gram += one_each;
  auto [grams_again, b_again] =
      co_await when_all(all_again(party, grams, "A again"), mask(party, b.shares(party), "b again"));
  co_return Copies{std::move(grams_again), std::move(b_again)};
}

Task<Masked> begun_stage(Party& party, const BatchPlan& plan, const SymmetricLanes& lanes, const Masked& A, Masked W,
                         unsigned iterations) {
  Arith more = W.shares(party).times(two_thirds, two_thirds_bits);
  W = co_await mask_trunc(party, std::move(more), two_thirds_bits, "2/3 W");
  for (unsigned i = 0; i < iterations; ++i) {
    const InverseResidual residual = co_await inverse_residual(party, lanes, A, W, plan.residual_bits);
    W = co_await iterated(party, lanes, W, residual, plan.inverse_bits);
  }
  co_return W;
}

}  // namespace

unsigned solve_stages(const BatchPlan& plan) {
  return 1 + static_cast<unsigned>(std::ceil(std::log2(bounds_of(plan.parameters).n())));
}

unsigned solve_rounds(const BatchPlan& plan) { return 3 + (1 + 2 * BatchPlan::iterations) * solve_stages(plan); }

Task<std::pair<Masked, Masked>> last_iteration(Party& party, const BatchPlan& plan, const SymmetricLanes& lanes,
                                               const Ridge& ridge, Masked W) {
  PendingProduct Wb = pending_product<SymmetricMatVec>(party, W, ridge.b);
  const unsigned w0_cut = Wb.scale() - plan.weight_bits;
  auto [residual, w0] = co_await when_all(inverse_residual(party, lanes, ridge.A, W, plan.residual_bits),
                                          mask_trunc(party, std::move(Wb), w0_cut, "w = W b"));

  PendingProduct Aw = pending_product<SymmetricMatVec>(party, ridge.A_triangles, w0);
  const unsigned more = Aw.scale() - ridge.targets.scale();
  PendingProduct error = -Aw + ridge.targets.times(std::uint64_t{1} << more, more);
  const unsigned e_cut = error.scale() - plan.correction_bits;
  auto [next_W, e] = co_await when_all(iterated(party, lanes, W, residual, plan.inverse_bits),
                                       mask_trunc(party, std::move(error), e_cut, "b - A w"));

  PendingProduct We = pending_product<SymmetricMatVec>(party, next_W, e);
  const unsigned w_cut = We.scale() - plan.weight_bits;
  PendingProduct w = plus_multiple(party, std::move(We), w0, std::uint64_t{1} << w_cut, w_cut);
  Masked weights = co_await mask_trunc(party, std::move(w), w_cut, "w");
  co_return std::pair(std::move(next_W), std::move(weights));
}

Task<LearnedModel> solve(Party& party, const BatchPlan& plan, Sums sums) {
  const SymmetricLanes lanes(plan.parameters.arms, plan.parameters.features());
  const Copies copies = co_await copies_of(party, plan, sums);
  Masked W = identity(party, plan, plan.inverse_bits);
  for (unsigned s = solve_stages(plan) - 1; s > 0; --s) {
    const Masked A = lanes.whole(copies.grams[s]);
    W = co_await begun_stage(party, plan, lanes, A, std::move(W), BatchPlan::iterations);
  }
  const Masked A = lanes.whole(copies.grams[0]);
  W = co_await begun_stage(party, plan, lanes, A, std::move(W), BatchPlan::iterations - 1);
  auto [inverse, weights] =
      co_await last_iteration(party, plan, lanes, Ridge{A, copies.grams[0], copies.b, sums.targets}, std::move(W));
  co_return LearnedModel{std::move(sums.gram), std::move(sums.targets), std::move(inverse), std::move(weights)};
}

}  // namespace sotto::apps::bandit
