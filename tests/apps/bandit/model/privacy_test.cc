#include "apps/bandit/model/privacy.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::bandit {
namespace {

TEST(Privacy, FollowsTheTableForTenArms) {
  struct Row {
    double epsilon, paper, exact;
  };
  const std::vector<Row> rows{{.001, 9.21, 9.21}, {.01, 6.91, 6.90}, {.03, 5.81, 5.78}, {.1, 4.61, 4.51},
                              {.3, 3.51, 3.19},   {.5, 3.00, 2.40},  {1, 2.30, 0}};
  for (const Row& row : rows) {
    const EtaPerAction eta = eta_per_action(10, row.epsilon);
    ASSERT_TRUE(eta.exact && eta.paper);
    EXPECT_NEAR(*eta.exact, row.exact, .00501) << row.epsilon;
    EXPECT_NEAR(*eta.paper, row.paper, .00501) << row.epsilon;
  }
}

TEST(Privacy, IsUnboundedWithoutExploration) {
  EXPECT_FALSE(eta_per_action(10, 0).exact);
  EXPECT_FALSE(eta_per_action(10, 0).paper);
  const EtaComposed composed = eta_composed(10, 0, 100);
  EXPECT_FALSE(composed.basic);
  EXPECT_FALSE(composed.optimal);
  EXPECT_EQ(composed.delta, 1e-6);
}

TEST(Privacy, IsZeroWhenEveryArmIsUniform) {
  EXPECT_EQ(*eta_per_action(7, 1).exact, 0);
  EXPECT_EQ(*eta_composed(7, 1, 1000).optimal, 0);
  EXPECT_EQ(*eta_composed(7, 1, 1000).basic, 0);
}

TEST(Privacy, RefusesWhatIsNoProbability) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double epsilon : {-.1, 1.0001, nan, -std::numeric_limits<double>::min()}) {
    EXPECT_THROW(eta_per_action(10, epsilon), InputError);
    EXPECT_THROW(exploration_of(epsilon), InputError);
  }
  for (const double delta : {-1e-9, 1.0, nan}) EXPECT_THROW(eta_composed(10, .1, 5, delta), InputError);
  EXPECT_THROW(eta_per_action(0, .1), std::invalid_argument);
  EXPECT_THROW(optimal_composition(-1, 5, 0), std::invalid_argument);
}

PROPERTY(Privacy, ExactIsTheLogRatioAndBelowThePaper) {
  const auto arms = draw_in_range<std::size_t>(2, 65);
  const double epsilon = draw_in_range(1, 1001) / 1000.0;
  const EtaPerAction eta = eta_per_action(arms, epsilon);
  const double other = epsilon / static_cast<double>(arms);
  HOLDS(std::abs(*eta.exact - std::log((1 - epsilon + other) / other)) < 1e-12);
  HOLDS(*eta.exact <= *eta.paper + 1e-12);
}

// The sum in the optimal composition theorem, computed directly in long double.
long double brute_delta(double eta, int k, int i) {
  long double sum = 0;
  long double choose = 1;
  const auto e = static_cast<long double>(eta);
  for (int l = 0; l < i; ++l) {
    sum += choose * (std::exp((k - l) * e) - std::exp((k - 2 * i + l) * e));
    choose = choose * (k - l) / (l + 1);
  }
  return sum / std::pow(1 + std::exp(e), static_cast<long double>(k));
}

double brute_composition(double eta, int k, double delta) {
  int best = 0;
  for (int i = 0; i <= k / 2; ++i) {
    if (brute_delta(eta, k, i) <= static_cast<long double>(delta)) best = i;
  }
  return (k - 2 * best) * eta;
}

PROPERTY(Privacy, OptimalEqualsTheTheoremsSum) {
  const int k = draw_in_range(1, 200);
  const double eta = draw_in_range(1, 5000) / 1000.0;
  // The result jumps at certain values of delta. The factor .7317 keeps the drawn delta away from these values.
  const double delta = draw_in_range(1, 10) * std::pow(10.0, -draw_in_range(1, 13)) * .7317;
  HOLDS(std::abs(optimal_composition(eta, static_cast<std::uint64_t>(k), delta) - brute_composition(eta, k, delta)) <
        1e-9 * k);
}

// The bound is tight for k randomised responses, each of which is eta-private and lies with probability q. The test
// computes the exact delta of the responses at epsilon = `total`. Each outcome contributes the probability `here` under
// one input, minus e^total times the probability `there` under the other input. Delta is the sum of the positive
// contributions.
TEST(Privacy, OptimalIsTightForRandomisedResponse) {
  const double eta = .3;
  const int k = 40;
  const double delta = 1e-4;
  const double q = 1 / (1 + std::exp(eta));
  const auto hockey_stick = [&](double total) {
    double sum = 0;
    for (int lies = 0; lies <= k; ++lies) {
      const double log_choose = std::lgamma(k + 1) - std::lgamma(lies + 1) - std::lgamma(k - lies + 1);
      const double here = std::exp(log_choose + lies * std::log(q) + (k - lies) * std::log1p(-q));
      const double there = std::exp(log_choose + lies * std::log1p(-q) + (k - lies) * std::log(q));
      sum += std::max(0.0, here - std::exp(total) * there);
    }
    return sum;
  };
  const double total = optimal_composition(eta, k, delta);
  EXPECT_LT(total, k * eta);
  EXPECT_LE(hockey_stick(total), delta);
  EXPECT_GT(hockey_stick(total - 2 * eta), delta);
}

PROPERTY(Privacy, OptimalIsAtMostBasicAndGrowsWithStepsAndEta) {
  const double eta = draw_in_range(1, 4000) / 1000.0;
  const auto k = draw_in_range<std::uint64_t>(1, 5000);
  const double total = optimal_composition(eta, k, 1e-6);
  HOLDS(total <= static_cast<double>(k) * eta);
  HOLDS(total >= 0);
  HOLDS(optimal_composition(eta, k + 2, 1e-6) >= total - 1e-9);
  HOLDS(optimal_composition(eta, k, 1e-9) >= total);
  HOLDS(optimal_composition(eta, k, 0) == static_cast<double>(k) * eta);
}

TEST(Privacy, OneActionComposesToItself) {
  EXPECT_DOUBLE_EQ(optimal_composition(4.51, 1, 1e-6), 4.51);
  EXPECT_EQ(optimal_composition(4.51, 0, 1e-6), 0);
}

// Two eta-private mechanisms together have epsilon 0 if delta is at least (e^{2 eta} - 1) / (1 + e^eta)^2, which equals
// tanh(eta / 2).
TEST(Privacy, TwoActionsTurnAtTheKnownDelta) {
  const double eta = 1.25;
  const double turning = std::tanh(eta / 2);
  EXPECT_EQ(optimal_composition(eta, 2, turning * (1 + 1e-9)), 0);
  EXPECT_EQ(optimal_composition(eta, 2, turning * (1 - 1e-9)), 2 * eta);
}

// The privacy loss of k eta-private steps is nearly normal if k is large and eta is small. The loss has the mean k eta
// tanh(eta/2) and a variance below k eta^2.
TEST(Privacy, LongRunsStayNearTheNormalLimit) {
  const double eta = 1e-3;
  const std::uint64_t k = 10'000'000;
  const double mean = static_cast<double>(k) * eta * std::tanh(eta / 2);
  const double sd = eta * std::sqrt(static_cast<double>(k));
  const double total = optimal_composition(eta, k, 1e-6);
  EXPECT_GT(total, mean + 4 * sd);
  EXPECT_LT(total, mean + 5.5 * sd);
}

TEST(Privacy, LongRunsOfLargeEtaNeitherOverflowNorVanish) {
  for (const double eta : {.01, 1.0, 4.51, 40.0, 700.0, 745.0}) {
    const double total = optimal_composition(eta, 10'000'000, 1e-6);
    EXPECT_TRUE(std::isfinite(total));
    EXPECT_GT(total, 1e7 * eta * std::tanh(eta / 2) * .999) << eta;
    EXPECT_LE(total, 1e7 * eta) << eta;
  }
}

TEST(EpsilonThreshold, IsTheCeilingOfTheProbability) {
  EXPECT_EQ(exploration_of(0).threshold, 0u);
  EXPECT_EQ(exploration_of(.5).threshold, std::uint64_t{1} << 63);
  EXPECT_EQ(exploration_of(std::ldexp(1.0, -64)).threshold, 1u);
  EXPECT_EQ(exploration_of(std::ldexp(1.5, -64)).threshold, 2u);
  EXPECT_EQ(exploration_of(std::numeric_limits<double>::denorm_min()).threshold, 1u);
  EXPECT_EQ(exploration_of(std::nextafter(1.0, 0.0)).threshold, ~std::uint64_t{0} - 2047);
  EXPECT_FALSE(exploration_of(std::nextafter(1.0, 0.0)).always);
}

TEST(EpsilonThreshold, ExploresAlwaysOrNeverAtTheEnds) {
  const std::uint64_t largest = ~std::uint64_t{0};
  EXPECT_TRUE(exploration_of(1).explores(largest));
  EXPECT_FALSE(exploration_of(0).explores(0));
  EXPECT_TRUE(exploration_of(.25).explores((std::uint64_t{1} << 62) - 1));
  EXPECT_FALSE(exploration_of(.25).explores(std::uint64_t{1} << 62));
}

PROPERTY(EpsilonThreshold, TheUsedEpsilonIsTheAskedOneOrJustAbove) {
  const double epsilon =
      draw_in_range<std::uint64_t>(0, std::uint64_t{1} << 40) * std::ldexp(1.0, -draw_in_range(40, 90));
  const double used = used_epsilon(exploration_of(epsilon));
  HOLDS(used >= epsilon);
  HOLDS(used - epsilon < std::ldexp(1.0, -64));
  HOLDS(used_epsilon(exploration_of(1)) == 1);
}

}  // namespace
}  // namespace sotto::apps::bandit
