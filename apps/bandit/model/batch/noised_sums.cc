#include "apps/bandit/model/batch/noised_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/parameters.h"
#include "apps/kit/dp/budget.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/mask.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

using Draw = std::function<void(unsigned bits, std::span<std::uint64_t> out)>;

constexpr unsigned lattice_bits = 16;
constexpr double deviation_unit = 1.0 / 1024;
constexpr double most_deviation = 16384;  // the square of this deviation, in squared units of 2^-16, fits 64 bits

Task<Arith> with_noise(Party& party, const FeatureHolders& holders, Arith value, const Draw& draw, Label label) {
  const Shape shape = value.shape();
  const unsigned exact = value.scale();
  const unsigned bits = std::min(lattice_bits, exact);
  const auto fill = [&draw, bits](std::span<std::uint64_t> out) { draw(bits, out); };
  auto [sum, rounded] = co_await when_all(noise_of_holders(party, holders, shape, bits, fill, label),
                                          copy_at(party, std::move(value), bits, label));
  sum += rounded.shares(party);
  const unsigned more = exact - bits;
  co_return sum.times(std::uint64_t{1} << more, more);
}

}  // namespace

Task<Arith> noise_of_holders(Party& party, const FeatureHolders& holders, Shape shape, unsigned scale, FillNoise fill,
                             Label label) {
  Arith noise = shares_from(party, shape, scale, fill);
  PoolVector<Task<Masked>> inputs;
  for (std::size_t owner = 0; owner < holders.owners; ++owner) {
    const NodeId node = party.topology().owner(owner);
    inputs.push_back(share_input(party, node, input_at(party, node, shape, scale, fill), label));
  }
  const PoolVector<Masked> of_owners = co_await when_all(std::move(inputs));
  for (const Masked& words : of_owners) noise += words.shares(party);
  co_return noise;
}

double sum_move(double norm) {
  const double square = norm * norm;
  return std::sqrt(2 * square * square + 2 * square + .5);
}

double learning_deviation(double epsilon, double delta, std::uint64_t rows, double norm, std::size_t features) {
  const Budget budget(BudgetTerms{epsilon, delta, Composition::zcdp, 1, 1});
  // If one row is replaced, rounding increases the change of an entry by at most two units. The units of A are 2^-16.
  // The units of b may be 2^-12, because the copy of b may have only 12 fraction bits.
  const auto d = static_cast<double>(features);
  const double rounding = 2 * std::hypot(std::ldexp(d, -16), std::ldexp(std::sqrt(d), -12));
  const double move = static_cast<double>(rows) * sum_move(norm) + rounding;
  const double deviation = std::ceil(move / std::sqrt(2 * budget.share().rho) / deviation_unit) * deviation_unit;
  if (deviation <= most_deviation) return deviation;
  throw InputError(
      fmt::format("learning_epsilon {:g} with {} rows of a subject needs noise of a deviation of {:g}, and "
                  "{:g} is the most: no model would be left",
                  epsilon, rows, deviation, most_deviation));
}

Task<Sums> noised(Party& party, const BatchPlan& plan, Sums sums, BanditSite& site) {
  const FeatureHolders holders = plan.parameters.holders();
  const std::size_t d = plan.parameters.features();
  const Draw draw_gram = [&](unsigned bits, auto out) { site.count_noise().draw_gram_noise(d, bits, out); };
  const Draw draw_targets = [&](unsigned bits, auto out) { site.count_noise().draw_target_noise(bits, out); };
  const unsigned gram_bits = sums.gram.scale();
  const unsigned target_bits = sums.targets.scale();
  auto [gram, targets] =
      co_await when_all(with_noise(party, holders, std::move(sums.gram), draw_gram, "noise in A"),
                        with_noise(party, holders, std::move(sums.targets), draw_targets, "noise in b"));
  const LearnedModel unit = initial_model(party, plan.parameters, {gram_bits, target_bits, gram_bits, target_bits});
  gram += unit.gram.times(static_cast<std::uint64_t>(learning_ridge(plan.parameters)) - 1);
  co_return Sums{std::move(gram), std::move(targets)};
}

}  // namespace sotto::apps::bandit
