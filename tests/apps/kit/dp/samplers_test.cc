#include "apps/kit/dp/samplers.h"

#include "tests/apps/support.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

// Pearson's chi-square test of draws from a distribution over the integers.
struct GoodnessOfFit {
  double statistic = 0;
  double cells = 0;

  // Chance gives a score above 5 in about one case in a million (Wilson, Hilferty 1931: the cube root of chi-square
  // over its degrees of freedom is nearly normal).
  [[nodiscard]] double normal_score() const {
    const double freedom = cells - 1;
    const double spread = 2 / (9 * freedom);
    return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
  }
};

// weight(x) is the probability of x, up to a factor. The weight must be negligible outside [-reach, reach].
// Neighbouring integers are joined into one cell, from left to right, until the expected number of draws in the cell is
// at least 20.
GoodnessOfFit fit_of(const std::function<std::int64_t()>& draw, const std::function<double(std::int64_t)>& weight,
                     std::int64_t reach, std::size_t draws) {
  std::map<std::int64_t, double> seen;
  double beyond = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const std::int64_t x = draw();
    if (std::abs(x) <= reach) {
      ++seen[x];
    } else {
      ++beyond;
    }
  }
  double total = 0;
  for (std::int64_t x = -reach; x <= reach; ++x) total += weight(x);
  const double n = static_cast<double>(draws);
  GoodnessOfFit fit;
  double expected = 0;
  double observed = 0;
  double left = n;
  for (std::int64_t x = -reach; x <= reach; ++x) {
    expected += n * weight(x) / total;
    const auto found = seen.find(x);
    if (found != seen.end()) observed += found->second;
    if (x == reach) observed += beyond;
    if ((expected < 20 || left - expected < 20) && x != reach) continue;
    fit.statistic += (observed - expected) * (observed - expected) / expected;
    ++fit.cells;
    left -= expected;
    expected = observed = 0;
  }
  return fit;
}

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

double value(Ratio ratio) { return static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator); }

double score(std::size_t hits, std::size_t trials, double chance) {
  const double n = static_cast<double>(trials);
  return (static_cast<double>(hits) - n * chance) / std::sqrt(n * chance * (1 - chance));
}

template <class Flip>
void expect_chance(std::size_t trials, double chance, Flip flip) {
  std::size_t hits = 0;
  for (std::size_t i = 0; i < trials; ++i) hits += flip() ? 1 : 0;
  EXPECT_LT(std::abs(score(hits, trials, chance)), 5) << chance;
}

GoodnessOfFit laplace_fit(Ratio drawn, double scale, std::size_t draws, std::uint64_t seed) {
  Coins coins = Coins::insecure(seed);
  const auto reach = static_cast<std::int64_t>(40 * scale + 5);
  return fit_of([&] { return discrete_laplace(coins, drawn); },
                [&](std::int64_t x) { return std::exp(-static_cast<double>(std::abs(x)) / scale); }, reach, draws);
}

GoodnessOfFit gaussian_fit(Ratio drawn, double variance, std::size_t draws, std::uint64_t seed) {
  Coins coins = Coins::insecure(seed);
  const auto reach = static_cast<std::int64_t>(12 * std::sqrt(variance) + 5);
  return fit_of(
      [&] { return discrete_gaussian(coins, drawn); },
      [&](std::int64_t x) { return std::exp(-static_cast<double>(x) * static_cast<double>(x) / (2 * variance)); },
      reach, draws);
}

const std::vector<Ratio>& parameters() {
  static const std::vector<Ratio> ratios = {{1, 7},   {1, 2},     {1, 1},
                                            {3, 2},   {2, 1},     {10, 3},
                                            {100, 1}, {12345, 7}, {6000000000000000000U, 1000000000000000000U}};
  return ratios;
}

TEST(Coins, OfOneSeedAreEqualAndOfTheSystemDiffer) {
  Coins a = Coins::insecure(1);
  Coins b = Coins::insecure(1);
  Coins c = Coins::insecure(2);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(Coins::from_os().next(), Coins::from_os().next());
  for (int i = 0; i < 1000; ++i) EXPECT_LT(a.below(3), 3U);
}

TEST(BernoulliExp, KnowsTheEnds) {
  Coins coins = Coins::insecure(3);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(bernoulli_exp(coins, {0, largest}));
    EXPECT_FALSE(bernoulli_exp(coins, {largest, 1}));
  }
  EXPECT_THROW((void)bernoulli_exp(coins, {1, 0}), std::invalid_argument);
}

TEST(BernoulliExp, HasItsChance) {
  Coins coins = Coins::insecure(5);
  for (const Ratio gamma : {Ratio{1, 1000}, {1, 3}, {1, 1}, {3, 2}, {7, 2}, {5, 1}, {largest - 1, largest}}) {
    expect_chance(100000, std::exp(-value(gamma)), [&] { return bernoulli_exp(coins, gamma); });
  }
}

// Shows that the tests can fail: they detect a scale that is off by a twentieth, and a sampler with two signs for 0.
TEST(GoodnessOfFit, SeesWrongSamplers) {
  EXPECT_GT(laplace_fit({21, 2}, 10, 100000, 301).normal_score(), 8);
  EXPECT_GT(gaussian_fit({21, 2}, 9.5, 100000, 302).normal_score(), 8);
  Coins coins = Coins::insecure(303);
  const auto rounded = [&] {
    const std::int64_t x = discrete_laplace(coins, {2, 1});
    return x == 0 && (coins.next() & 1) != 0 ? discrete_laplace(coins, {2, 1}) : x;
  };
  const auto weight = [](std::int64_t x) { return std::exp(-static_cast<double>(std::abs(x)) / 2); };
  EXPECT_GT(fit_of(rounded, weight, 80, 100000).normal_score(), 8);
}

TEST(Samplers, TakeTheLargestParameters) {
  Coins coins = Coins::insecure(6);
  constexpr int draws = 2000;
  double magnitude = 0;
  double squares = 0;
  for (int i = 0; i < draws; ++i) {
    magnitude += std::abs(static_cast<double>(discrete_laplace(coins, {std::uint64_t{1} << 52, 1})));
    const double x = static_cast<double>(discrete_gaussian(coins, {largest, 1}));
    squares += x * x;
  }
  EXPECT_NEAR(magnitude / draws / 0x1p52, 1, 0.12);
  EXPECT_NEAR(squares / draws / 0x1p64, 1, 0.16);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(discrete_laplace(coins, {1, largest}), 0);
    EXPECT_EQ(discrete_gaussian(coins, {1, largest}), 0);
    EXPECT_GT(std::abs(discrete_laplace(coins, {largest, 1})), 0);
  }
}

TEST(DiscreteLaplace, IsCutAt63Bits) {
  Coins coins = Coins::insecure(7);
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  int at_the_end = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t x = discrete_laplace(coins, {largest, 1});
    EXPECT_GE(x, -end);
    if (std::abs(x) == end) ++at_the_end;
  }
  EXPECT_NEAR(at_the_end, 1000 * std::exp(-0.5), 100);
}

TEST(Samplers, RefuseWhatIsNoParameter) {
  Coins coins = Coins::insecure(8);
  EXPECT_THROW((void)discrete_laplace(coins, {0, 1}), std::invalid_argument);
  EXPECT_THROW((void)discrete_laplace(coins, {1, 0}), std::invalid_argument);
  EXPECT_THROW((void)discrete_gaussian(coins, {0, 1}), std::invalid_argument);
  EXPECT_THROW((void)discrete_gaussian(coins, {1, 0}), std::invalid_argument);
}

PROPERTY(DiscreteGaussian, StaysWithinFortyDeviations) {
  const auto numerator = draw<std::uint64_t>();
  const auto denominator = draw<std::uint64_t>();
  const auto seed = draw<std::uint64_t>();
  assume(numerator > 0 && denominator > 0);
  Coins coins = Coins::insecure(seed);
  const Ratio variance{numerator, denominator};
  for (int i = 0; i < 20; ++i) {
    const double x = static_cast<double>(discrete_gaussian(coins, variance));
    HOLDS(std::abs(x) <= 40 * std::sqrt(value(variance)) + 1);
  }
}

TEST(DiscreteLaplace, FollowsItsProbabilitiesStatistical) {
  std::uint64_t seed = 400;
  for (const Ratio scale : parameters()) {
    EXPECT_LT(laplace_fit(scale, value(scale), samples(3'000'000), ++seed).normal_score(), 5) << value(scale);
  }
}

TEST(DiscreteGaussian, FollowsItsProbabilitiesStatistical) {
  std::uint64_t seed = 500;
  for (const Ratio variance : parameters()) {
    EXPECT_LT(gaussian_fit(variance, value(variance), samples(2'000'000), ++seed).normal_score(), 5) << value(variance);
  }
}

// The scale is 1 / epsilon, rounded up to a multiple of 2^-20. As doubles, 0.1 is above a tenth, and 0.3 and 1/3 are
// below their exact values.
TEST(LaplaceScales, AreRoundedUp) {
  constexpr std::uint64_t unit = std::uint64_t{1} << 20;
  EXPECT_EQ(laplace_scale(1), (Ratio{unit, unit}));
  EXPECT_EQ(laplace_scale(10), (Ratio{104'858, unit}));  // rounded up from 104,857.6
  EXPECT_EQ(laplace_scale(.001), (Ratio{1'048'576'000, unit}));
  EXPECT_EQ(laplace_scale(.1), (Ratio{10 * unit, unit}));
  EXPECT_EQ(laplace_scale(.3), (Ratio{3'495'254, unit}));  // rounded up from 3,495,253.33
  EXPECT_EQ(laplace_scale(1. / 3), (Ratio{3 * unit + 1, unit}));
  EXPECT_EQ(laplace_scale(.5, 3), (Ratio{6 * unit, unit}));
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponents(-3, 3);
  for (int i = 0; i < 10'000; ++i) {
    const double epsilon = std::pow(10, exponents(random));
    const std::uint64_t rows = 1 + random() % (i % 2 == 0 ? 5 : most_rows_of_subject);
    const Ratio scale = laplace_scale(epsilon, rows);
    ASSERT_EQ(scale.denominator, unit);
    const auto cost_is_at_most = [&](std::uint64_t numerator) {
      return std::fma(static_cast<double>(numerator), epsilon, -static_cast<double>(unit * rows)) >= 0;
    };
    EXPECT_TRUE(cost_is_at_most(scale.numerator)) << epsilon;
    EXPECT_FALSE(cost_is_at_most(scale.numerator - 1)) << epsilon;
  }
}

TEST(LaplaceScales, AreOfSoundTerms) {
  for (const double epsilon : {0., -1., .0009, 1001., std::nan("")}) {
    EXPECT_THROW((void)laplace_scale(epsilon), std::invalid_argument) << epsilon;
  }
  EXPECT_THROW((void)laplace_scale(1, 0), std::invalid_argument);
  EXPECT_THROW((void)laplace_scale(1, most_rows_of_subject + 1), std::invalid_argument);
}

TEST(DiscreteLaplace, HasTheVarianceOfItsProbabilities) {
  for (const Ratio scale : {Ratio{1, 2}, {1, 1}, {2, 1}, {37, 5}}) {
    double sum = 0;
    double weights = 0;
    for (int x = -2000; x <= 2000; ++x) {
      const double weight = std::exp(-std::abs(x) / scale.value());
      sum += x * x * weight;
      weights += weight;
    }
    EXPECT_NEAR(discrete_laplace_variance(scale), sum / weights, 1e-9 * sum / weights) << scale.value();
  }
}

TEST(BernoulliExp, HasItsChanceStatistical) {
  Coins coins = Coins::insecure(600);
  for (const Ratio gamma : {Ratio{1, 100}, {2, 3}, {5, 2}}) {
    expect_chance(10000000, std::exp(-value(gamma)), [&] { return bernoulli_exp(coins, gamma); });
  }
}

}  // namespace
}  // namespace sotto::apps
