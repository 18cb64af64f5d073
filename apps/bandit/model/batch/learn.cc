#include "apps/bandit/model/batch/learn.h"

#include <cmath>
#include <utility>
#include <vector>

#include "apps/bandit/model/batch/solve.h"
#include "apps/bandit/model/newton_schulz.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "sotto/protocol/sharing/rearrange.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

std::uint64_t one(unsigned bits) { return std::uint64_t{1} << bits; }

// Truncation changes each entry by less than one unit of the last bit, and by zero on average.
Task<Arith> rounded(Party& party, Arith value, unsigned bits, Label label) {
  if (value.scale() == bits) co_return std::move(value);
  const Masked cut = co_await copy_at(party, std::move(value), bits, label);
  co_return cut.shares(party);
}

std::vector<std::uint64_t> step_lengths(const BatchPlan& plan) {
  std::vector<std::uint64_t> table(std::size_t{1} << plan.table_bits);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double half = std::ldexp(static_cast<double>(i + 1), -1 - static_cast<int>(BatchPlan::cell_bits));
    table[i] = static_cast<std::uint64_t>(std::floor(std::ldexp(1.0, BatchPlan::step_bits) / (1 + half)));
  }
  return table;
}

// Rounds 4, 5.
Task<Masked> step_length(Party& party, const BatchPlan& plan, const SymmetricLanes& lanes, const Masked& W,
                         const Masked& S) {
  Arith trace = row_dot(party, lanes.doubled(S), W);
  const unsigned scale = trace.scale();
  Masked t = co_await mask(party, plus(party, std::move(trace), one(scale - 5)), "t = tr(W S)");
  const MaskedIndex cell = MaskedIndex::bit_range(t, scale - BatchPlan::cell_bits, plan.table_bits);
  std::vector<std::uint64_t> table;  // filled only at the dealer
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

Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchModel model, TrainingEvents lessons) {
  return learn(party, plan, shares_of(party, std::move(model)), std::move(lessons));
}

Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchShares model, TrainingEvents lessons) {
  const std::size_t d = plan.parameters.features();
  const std::size_t arms = plan.parameters.arms;
  const SymmetricLanes lanes(arms, d);

  // Round 1.
  const ModelBits bits = plan.model_bits();
  auto [brought, W_again, gram, targets] = co_await when_all(
      share_training(party, plan, std::move(lessons)), mask(party, std::move(model.inverse), "W again"),
      rounded(party, std::move(model.gram), bits.gram, "A, rounded"),
      rounded(party, std::move(model.targets), bits.targets, "b, rounded"));
  model.gram = std::move(gram);
  model.targets = std::move(targets);

  // Rounds 2, 3.
  Arith S = co_await add_training(party, brought, model.gram, model.targets);
  auto [cut_A, cut_S, cut_b] = co_await when_all(copy_at(party, model.gram, plan.gram_bits, "A"),
                                                 copy_at(party, std::move(S), plan.sum_bits, "S"),
                                                 copy_at(party, model.targets, plan.target_bits, "b"));

  // Rounds 4, 5.
  auto [c, A_triangles, b] =
      co_await when_all(step_length(party, plan, lanes, W_again, cut_S), mask(party, cut_A.shares(party), "A again"),
                        mask(party, cut_b.shares(party), "b again"));
  const Masked A = lanes.whole(A_triangles);

  // Round 6.
  PendingProduct scaled = pending_product<RowScale>(party, c, W_again);
  Masked W = co_await mask_trunc(party, std::move(scaled), BatchPlan::step_bits, "c W");

  // From round 7.
  for (unsigned i = 1; i < BatchPlan::iterations; ++i) {
    const InverseResidual residual = co_await inverse_residual(party, lanes, A, W, plan.residual_bits);
    W = co_await iterated(party, lanes, W, residual, plan.inverse_bits);
  }
  auto [next_W, weights] =
      co_await last_iteration(party, plan, lanes, Ridge{A, A_triangles, b, model.targets}, std::move(W));
  co_return BatchModel{std::move(model.gram), std::move(model.targets), std::move(next_W), std::move(weights)};
}

}  // namespace sotto::apps::bandit
