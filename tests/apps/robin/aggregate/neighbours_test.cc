// Whether the release keeps what it promises on neighbouring inputs, found by trying: how much likelier outputs get
// when one estimate is replaced. A test of this kind proves no promise, but it finds broken ones; the last tests are
// such.
#include "sotto/apps/kit/dp/budget.h"
#include "sotto/apps/robin/aggregate/aggregate.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

using Numbers = std::vector<double>;
// An outcome: the sign, the range, and the mean's place in it, coarsely.
using Outcome = std::pair<int, std::pair<int, int>>;
using Counts = std::map<Outcome, double>;

constexpr double tau = 0.25;
constexpr int cells_of_tau = 2;

Outcome outcome_of(const AggregateResult& result) {
  const double sign = result.signs[0];
  const auto [low, high] = result.ranges[0];
  const double middle = (low + high) / 2;
  const int place = static_cast<int>(std::floor((sign * result.mean[0] - middle) * cells_of_tau / tau));
  return {result.signs[0], {static_cast<int>(std::lround(middle / tau)), std::clamp(place, -40, 40)}};
}

Counts try_often(const Numbers& estimates, const AggregateSettings& settings, std::size_t trials, std::uint64_t seed) {
  Coins coins = Coins::insecure(seed);
  Counts counts;
  for (std::size_t i = 0; i < trials; ++i) ++counts[outcome_of(aggregate(estimates, settings, coins))];
  return counts;
}

// A lower estimate of the delta at epsilon: the hockey-stick divergence over the outcomes, in which the first half of
// the trials chooses the set of outcomes and the second half measures it, less five standard deviations. Positive
// beyond delta by chance once in millions.
double delta_found(const Numbers& a, const Numbers& b, const AggregateSettings& settings, double epsilon,
                   std::size_t trials, std::uint64_t seed) {
  const Counts choose_a = try_often(a, settings, trials / 2, seed);
  const Counts choose_b = try_often(b, settings, trials / 2, seed + 1);
  const Counts measure_a = try_often(a, settings, trials / 2, seed + 2);
  const Counts measure_b = try_often(b, settings, trials / 2, seed + 3);
  const auto at = [](const Counts& counts, const Outcome& outcome) {
    const auto found = counts.find(outcome);
    return found == counts.end() ? 0.0 : found->second;
  };
  double p = 0;
  double q = 0;
  for (const auto& [outcome, count] : choose_a) {
    if (count <= std::exp(epsilon) * at(choose_b, outcome)) continue;
    p += at(measure_a, outcome);
    q += at(measure_b, outcome);
  }
  const double n = static_cast<double>(trials) / 2;
  const double spread = std::sqrt(p + std::exp(2 * epsilon) * q) / n;
  return (p - std::exp(epsilon) * q) / n - 5 * spread;
}

struct Pair {
  Numbers a;
  Numbers b;
};

// The range's middle moves, and so does the mean; few estimates, so that one weighs much.
const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {{-1, 1}, {1, 1}}, {{-1, 1, 1}, {1, 1, 1}}, {{0.3, 0.3, -1}, {0.3, 0.3, 1}}, {{-0.4, 0.4}, {0.4, 0.4}}};
  return all;
}

AggregateSettings settings_of(Composition composition, double epsilon, double delta) {
  AggregateSettings settings;
  settings.tau = tau;
  settings.share = Budget({epsilon, delta, composition, 1, 1}).share();
  settings.noise = composition == Composition::zcdp ? NoiseKind::gaussian : NoiseKind::laplace;
  return settings;
}

double worst_found(const AggregateSettings& settings, double epsilon, std::size_t trials, std::uint64_t seed) {
  double worst = -1;
  for (const Pair& pair : pairs()) {
    worst = std::max(worst, delta_found(pair.a, pair.b, settings, epsilon, trials, seed));
    worst = std::max(worst, delta_found(pair.b, pair.a, settings, epsilon, trials, seed + 10));
    seed += 100;
  }
  return worst;
}

constexpr std::size_t some = 60000;
constexpr std::size_t many = 500000;

TEST(Neighbours, KeepTheRatioOfPureEpsilon) {
  for (const Composition composition : {Composition::basic, Composition::nested}) {
    EXPECT_LE(worst_found(settings_of(composition, 1, 1e-6), 1, some, 1), 0);
    EXPECT_LE(worst_found(settings_of(composition, 4, 1e-6), 4, some, 500), 0);
  }
}

TEST(Neighbours, KeepEpsilonAndDeltaOfZcdp) {
  EXPECT_LE(worst_found(settings_of(Composition::zcdp, 1, 0.01), 1, some, 1000), 0.01);
  EXPECT_LE(worst_found(settings_of(Composition::zcdp, 0.3, 0.001), 0.3, some, 2000), 0.001);
}

// Mechanisms with a sensitivity taken by half or by two thirds, without any noise, with half the noise.
TEST(Neighbours, FindTheBrokenOnes) {
  AggregateSettings half_noise = settings_of(Composition::basic, 1, 1e-6);
  half_noise.share.epsilon *= 2;
  EXPECT_GT(worst_found(half_noise, 1, some, 3000), 0);

  // With a larger epsilon these inputs come near the whole of it, and half as much again is found.
  AggregateSettings a_half_more = settings_of(Composition::basic, 4, 1e-6);
  a_half_more.share.epsilon *= 1.5;
  EXPECT_GT(worst_found(a_half_more, 4, some, 4000), 0);

  AggregateSettings noiseless = settings_of(Composition::zcdp, 1, 0.01);
  noiseless.share.rho *= 1000;
  EXPECT_GT(worst_found(noiseless, 1, some, 5000), 0.01);

  AggregateSettings gaussian = settings_of(Composition::zcdp, 1, 0.01);
  gaussian.share.rho *= 4;
  EXPECT_GT(worst_found(gaussian, 1, some, 6000), 0.01);
}

TEST(Neighbours, KeepTheRatioStatistical) {
  EXPECT_LE(worst_found(settings_of(Composition::basic, 1, 1e-6), 1, many, 7000), 0);
  EXPECT_LE(worst_found(settings_of(Composition::basic, 4, 1e-6), 4, many, 8000), 0);
  EXPECT_LE(worst_found(settings_of(Composition::zcdp, 1, 0.01), 1, many, 9000), 0.01);
}

}  // namespace
}  // namespace sotto::apps
