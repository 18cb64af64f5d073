#include "apps/bandit/model/step/refresh.h"

#include <span>
#include <utility>
#include <vector>

#include "apps/bandit/model/newton_schulz.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {
namespace {

// b - A w, exact except for the rounding of the copy of A.
PendingProduct error_of_weights(Party& party, const LearnedModel& model, const Masked& A) {
  PendingProduct Aw = protocols::pending_product<protocols::SymmetricMatVec>(party, A, model.weights);
  const unsigned more = Aw.scale() - model.targets.scale();
  return -Aw + model.targets.times(std::uint64_t{1} << more, more);
}

Task<Masked> corrected(Party& party, const StepPlan& plan, const Masked& weights, const Masked& W, const Masked& e) {
  PendingProduct We = protocols::pending_product<protocols::SymmetricMatVec>(party, W, e);
  const unsigned cut = We.scale() - plan.weight_bits;
  PendingProduct sum = protocols::plus_multiple(party, std::move(We), weights, std::uint64_t{1} << cut, cut);
  co_return co_await protocols::mask_trunc(party, std::move(sum), cut, "w");
}

Masked stacked(std::span<const Masked> rows) {
  const std::size_t columns = rows.front().lanes();
  return hstack(rows).reshaped(Shape{rows.size(), columns});
}

}  // namespace

PendingPulls::PendingPulls(const Party& party, const BanditParameters& parameters, const StepPlan& plan,
                           std::size_t most) {
  const auto nothing = [&](std::size_t columns, unsigned scale) {
    const std::vector<std::uint64_t> zeros(columns, 0);
    return Masked::constant(party, Shape{1, columns}, scale, zeros);
  };
  const std::size_t d = parameters.features();
  of_arms_.assign(most, nothing(parameters.arms * d, plan.context_bits));
  contexts_.assign(most, nothing(d, plan.context_bits));
  rewards_.assign(most, nothing(1, plan.reward_bits));
  // Each masked reward uses memory at the rewarder. These blocks make the memory pool large enough in advance.
  constexpr std::size_t in_use = 8;
  const PoolVector<Words> of_rewarder(most + in_use, Words(1));
}

void PendingPulls::add(const Masked& of_arms, const Masked& context, const Masked& reward) {
  // The arguments may have larger blocks than needed, so the values are copied.
  const Masked row = of_arms.reshaped(Shape{1, of_arms.lanes()});
  of_arms_.at(count_) = row;
  contexts_.at(count_) = context;
  rewards_.at(count_) = reward;
  ++count_;
}

void PendingPulls::enter(Party& party, LearnedModel& model) {
  const std::size_t count = std::exchange(count_, 0);
  if (count == 0) return;
  (void)add_events(party, model.gram, model.targets, stacked(std::span(of_arms_).first(count)),
                   stacked(std::span(contexts_).first(count)), stacked(std::span(rewards_).first(count)));
}

Task<LearnedModel> refresh(Party& party, const StepPlan& plan, LearnedModel model) {
  const std::size_t arms = model.weights.shape().rows;
  const SymmetricLanes lanes(arms, model.weights.shape().columns);

  auto [cut_A, fine_A, W] = co_await when_all(copy_at(party, model.gram, plan.gram_bits, "A"),
                                              copy_at(party, model.gram, plan.weight_gram_bits, "A for w"),
                                              copy_at(party, model.inverse.shares(party), plan.refreshed_bits, "W"));
  PendingProduct error = error_of_weights(party, model, fine_A);
  const unsigned e_cut = error.scale() - plan.correction_bits;
  auto [A_triangles, e] = co_await when_all(protocols::mask(party, cut_A.shares(party), "A again"),
                                            protocols::mask_trunc(party, std::move(error), e_cut, "b - A w"));
  const Masked A = lanes.whole(A_triangles);

  auto [residual, weights] = co_await when_all(inverse_residual(party, lanes, A, W, plan.residual_bits),
                                               corrected(party, plan, model.weights, W, e));
  residual.P = co_await protocols::mask(party, residual.P.shares(party), "P again");
  Masked refreshed = co_await iterated(party, lanes, W, residual, plan.inverse_bits);
  if (plan.update == StepUpdate::pulled_arm) {
    const unsigned more = plan.kept_inverse_bits - plan.inverse_bits;
    Arith finer = refreshed.shares(party).times(std::uint64_t{1} << more, more);
    refreshed = co_await protocols::mask(party, std::move(finer), "W again");
  }
  co_return LearnedModel{std::move(model.gram), std::move(model.targets), std::move(refreshed), std::move(weights)};
}

}  // namespace sotto::apps::bandit
