#include "apps/robin/aggregate/mechanism.h"
#include "apps/kit/dp/budget.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::robin {
namespace {

AggregateSettings settings_with(const ReleaseShare& share, NoiseKind noise) {
  return AggregateSettings{.dimension = 5, .bound = 1, .tau = 0.05, .noise = noise, .share = share, .around = {}};
}

double value(Ratio ratio) { return static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator); }

// The real cost of a release, which the test computes only from the mechanism's numbers. Replacing one estimate moves
// the sum of a coordinate by at most 4 tau. The log-ratios of the probabilities of a range then lie in an interval of
// length 2 eta.
double rho_spent(const AggregateMechanism& mechanism, NoiseKind noise) {
  const double sensitivity = 4 * static_cast<double>(mechanism.tau);
  // Gaussian noise of standard deviation sd has rho = s^2 / (2 sd^2) for sensitivity s. An epsilon-DP mechanism has rho
  // = epsilon^2 / 2. A mechanism whose log-ratios of probabilities lie in an interval of length epsilon has rho =
  // epsilon^2 / 8.
  const double scale = value(mechanism.noise);
  const double mean = sensitivity * sensitivity / (2 * (noise == NoiseKind::gaussian ? scale : scale * scale));
  const double range = mechanism.draws_range ? std::pow(2 * value(mechanism.eta), 2) / 8 : 0;
  return static_cast<double>(mechanism.padded) * (mean + range);
}

double epsilon_spent(const AggregateMechanism& mechanism) {
  const double range = mechanism.draws_range ? 2 * value(mechanism.eta) : 0;
  return range + 4 * static_cast<double>(mechanism.tau) / value(mechanism.noise);
}

PROPERTY(AggregateMechanism, SpendsItsShareAndNoMore) {
  const auto noise = draw_one_of({NoiseKind::gaussian, NoiseKind::laplace});
  const double rho = std::exp(draw_in_range(-1200, 300) / 100.0);
  AggregateSettings settings = settings_with({Composition::zcdp, rho, 0}, noise);
  settings.dimension = draw_in_range<std::size_t>(1, 200);
  settings.tau = std::exp(draw_in_range(-1000, 100) / 100.0);
  if (draw<bool>()) settings.around = std::vector<double>(settings.dimension);
  const AggregateMechanism mechanism = mechanism_of(settings);
  HOLDS(rho_spent(mechanism, noise) <= rho);
  HOLDS(rho_spent(mechanism, noise) >= 0.99 * rho);
}

PROPERTY(AggregateMechanism, SpendsItsEpsilonAndNoMore) {
  const auto composition = draw_one_of({Composition::basic, Composition::nested});
  const double epsilon = std::exp(draw_in_range(-600, 200) / 100.0);
  AggregateSettings settings = settings_with({composition, 0, epsilon}, NoiseKind::laplace);
  settings.tau = std::exp(draw_in_range(-1000, 100) / 100.0);
  const AggregateMechanism mechanism = mechanism_of(settings);
  HOLDS(epsilon_spent(mechanism) <= epsilon);
  HOLDS(epsilon_spent(mechanism) >= 0.99 * epsilon);
}

TEST(AggregateMechanism, SplitsHalfAndHalf) {
  const AggregateMechanism zcdp = mechanism_of(settings_with({Composition::zcdp, 0.8, 0}, NoiseKind::gaussian));
  EXPECT_EQ(zcdp.padded, 8U);
  EXPECT_NEAR(value(zcdp.eta), std::sqrt(0.1), 1e-6);  // rho is 0.1 for each coordinate
  EXPECT_NEAR(zcdp.noise_scale * zcdp.rotated_step, 4 * 0.05 / std::sqrt(0.1), 1e-6);
  const AggregateMechanism basic = mechanism_of(settings_with({Composition::basic, 0, 0.4}, NoiseKind::laplace));
  EXPECT_NEAR(value(basic.eta), 0.1, 1e-6);
  EXPECT_NEAR(basic.noise_scale * basic.rotated_step, 8 * 0.05 / 0.4, 1e-6);
  EXPECT_NEAR(basic.noise_sd, std::sqrt(2) * basic.noise_scale, 1e-6 * basic.noise_sd);
}

TEST(AggregateMechanism, CoversTheBoundWithBins) {
  AggregateSettings settings = settings_with({Composition::zcdp, 1, 0}, NoiseKind::gaussian);
  for (const double tau : {0.9, 0.5, 1.0 / 3, 0.1, 0.0123}) {
    settings.tau = tau;
    const AggregateMechanism mechanism = mechanism_of(settings);
    const double covered = tau * static_cast<double>(mechanism.bins());
    EXPECT_GE(covered, settings.bound);
    EXPECT_LT(covered, settings.bound + 2 * tau);
    EXPECT_TRUE(mechanism.draws_range);
  }
  settings.tau = 1;
  EXPECT_EQ(mechanism_of(settings).bins(), 1U);
  EXPECT_FALSE(mechanism_of(settings).draws_range);
}

TEST(AggregateMechanism, RefusesWhatCannotWork) {
  const AggregateSettings good = settings_with({Composition::zcdp, 0.1, 0}, NoiseKind::gaussian);
  const auto message = [](const AggregateSettings& settings) {
    return error_of<InputError>([&] { (void)mechanism_of(settings); });
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {0.0, -1.0, infinity, std::nan("")}) {
    AggregateSettings settings = good;
    settings.tau = wrong;
    EXPECT_THAT(message(settings), StartsWith("--tau: "));
    settings = good;
    settings.bound = wrong;
    EXPECT_THAT(message(settings), StartsWith("--bound: "));
    settings = good;
    settings.share.rho = wrong;
    EXPECT_THROW((void)mechanism_of(settings), std::invalid_argument);
  }
  AggregateSettings settings = good;
  settings.tau = 1e-7;
  EXPECT_THAT(message(settings), HasSubstr("2^20 bins"));
  settings = good;
  settings.share = {Composition::nested, 0, 0.1};
  EXPECT_THAT(message(settings), StartsWith("--noise: "));
  settings = good;
  settings.share.rho = 1e-14;
  EXPECT_THAT(message(settings), StartsWith("--eps: too small"));
  settings = good;
  settings.around = std::vector<double>(4);
  EXPECT_THROW((void)mechanism_of(settings), std::invalid_argument);
  settings.dimension = 0;
  EXPECT_THROW((void)mechanism_of(settings), std::invalid_argument);
}

using WholeNumbers = std::vector<std::int64_t>;

TEST(Rotation, KnowsTheHadamardMatrixOfFour) {
  const std::vector<int> signs{1, -1, 1, 1};
  WholeNumbers values{1, 2, 3, 5};
  rotate(values, signs);  // the signs change the values to 1, -2, 3, 5 before the rotation
  EXPECT_THAT(values, ElementsAre(1 - 2 + 3 + 5, 1 + 2 + 3 - 5, 1 - 2 - 3 - 5, 1 + 2 - 3 + 5));
}

// Entry (i, j) of the matrix is -1 to the power of the number of bits that are set in both i and j (Sylvester).
TEST(Rotation, IsHadamardTimesSigns) {
  Coins coins = Coins::insecure(1);
  constexpr std::size_t padded = 32;
  const std::vector<int> signs = draw_signs(coins, padded);
  for (std::size_t j = 0; j < padded; ++j) {
    WholeNumbers column(padded);
    column[j] = 1;
    rotate(column, signs);
    for (std::size_t i = 0; i < padded; ++i) EXPECT_EQ(column[i], (std::popcount(i & j) % 2 == 0 ? 1 : -1) * signs[j]);
  }
}

PROPERTY(Rotation, IsUndoneAndKeepsLengths) {
  const auto seed = draw<std::uint64_t>();
  const std::size_t padded = std::size_t{1} << draw_in_range(0, 9);
  const auto values = draw_vector(padded, draw<std::int32_t>);
  Coins coins = Coins::insecure(seed);
  const std::vector<int> signs = draw_signs(coins, padded);
  WholeNumbers rotated(values.begin(), values.end());
  rotate(rotated, signs);
  __extension__ typedef __int128 Wide;
  Wide before = 0;
  Wide after = 0;
  for (const auto x : values) before += Wide{x} * x;
  for (const auto x : rotated) after += Wide{x} * x;
  HOLDS((after == before * static_cast<std::int64_t>(padded)));
  std::vector<double> back(rotated.begin(), rotated.end());
  rotate_back(back, signs);
  for (std::size_t i = 0; i < padded; ++i) HOLDS(back[i] == static_cast<double>(values[i]));
}

TEST(Rotation, SignsAreFair) {
  Coins coins = Coins::insecure(2);
  const std::vector<int> signs = draw_signs(coins, 1U << 16);
  int sum = 0;
  for (const int sign : signs) {
    ASSERT_TRUE(sign == 1 || sign == -1);
    sum += sign;
  }
  EXPECT_LT(std::abs(sum), 5 * 256);
}

TEST(Rotation, RefusesOtherSizes) {
  WholeNumbers three(3);
  std::vector<double> two(2);
  EXPECT_THROW(rotate(three, std::vector<int>{1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(rotate(three, std::vector<int>{1, 1}), std::invalid_argument);
  EXPECT_THROW(rotate_back(two, std::vector<int>{1, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(rotate_back(std::span<double>(), std::vector<int>{}), std::invalid_argument);
}

using CellCounts = std::vector<std::uint64_t>;

std::vector<double> probabilities(const CellCounts& costs, double eta) {
  const std::uint64_t least = *std::min_element(costs.begin(), costs.end());
  std::vector<double> result;
  double sum = 0;
  for (const std::uint64_t cost : costs) {
    result.push_back(std::exp(-eta * static_cast<double>(cost - least)));
    sum += result.back();
  }
  for (double& p : result) p /= sum;
  return result;
}

TEST(RangeCosts, CountTheLargerSide) {
  EXPECT_THAT(range_costs(CellCounts{5}), ElementsAre(0));
  EXPECT_THAT(range_costs(CellCounts{0, 7, 0}), ElementsAre(7, 0, 7));
  EXPECT_THAT(range_costs(CellCounts{1, 2, 4, 3}), ElementsAre(9, 7, 3, 7));
}

// Neighbours differ in one estimate, which moves from one bin to another bin.
PROPERTY(PrivateRange, HasTheStatedSensitivityAndRange) {
  CellCounts counts = draw_vector(draw_length(1), [] { return draw_in_range<std::uint64_t>(0, 20); });
  const auto from = draw_in_range<std::size_t>(0, counts.size());
  const auto to = draw_in_range<std::size_t>(0, counts.size());
  ++counts[from];
  CellCounts neighbour = counts;
  --neighbour[from];
  ++neighbour[to];
  const CellCounts a = range_costs(counts);
  const CellCounts b = range_costs(neighbour);
  const double eta = 0.37;
  const std::vector<double> p = probabilities(a, eta);
  const std::vector<double> q = probabilities(b, eta);
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    HOLDS(a[bin] <= b[bin] + 1);
    HOLDS(b[bin] <= a[bin] + 1);
    const double ratio = std::log(p[bin] / q[bin]);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  HOLDS(most - least <= 2 * eta + 1e-9);
  HOLDS(std::max(most, -least) <= 2 * eta + 1e-9);
}

// For these two inputs, one cost rises by 1 and another falls by 1. So the log-ratios differ by the whole stated 2 eta.
TEST(PrivateRange, ReachesTheStatedRange) {
  const CellCounts a = range_costs(CellCounts{6, 0, 0, 5});
  const CellCounts b = range_costs(CellCounts{5, 0, 0, 6});
  EXPECT_THAT(a, ElementsAre(5, 6, 6, 6));
  EXPECT_THAT(b, ElementsAre(6, 6, 6, 5));
}

void expect_frequencies(const CellCounts& costs, Ratio eta, std::size_t trials, std::uint64_t seed) {
  Coins coins = Coins::insecure(seed);
  CellCounts seen(costs.size());
  for (std::size_t i = 0; i < trials; ++i) ++seen[exponential_mechanism(coins, costs, eta)];
  const std::vector<double> p =
      probabilities(costs, static_cast<double>(eta.numerator) / static_cast<double>(eta.denominator));
  const double n = static_cast<double>(trials);
  for (std::size_t bin = 0; bin < costs.size(); ++bin) {
    EXPECT_NEAR(static_cast<double>(seen[bin]), n * p[bin], 5 * std::sqrt(n * p[bin] * (1 - p[bin])) + 1e-9) << bin;
  }
}

TEST(ExponentialMechanism, FollowsItsProbabilities) {
  expect_frequencies(CellCounts{3, 0, 1, 7, 1}, {1, 2}, 100000, 1);
  expect_frequencies(CellCounts{1000, 990, 1005}, {1, 10}, 100000, 2);
  expect_frequencies(CellCounts{4, 9}, {0, 1}, 100000, 3);
  expect_frequencies(CellCounts{8}, {1, 1}, 100, 4);
}

TEST(ExponentialMechanism, FollowsItsProbabilitiesStatistical) {
  expect_frequencies(CellCounts{3, 0, 1, 7, 1, 20, 2}, {1, 3}, 5000000, 5);
}

TEST(ExponentialMechanism, NeedsAChoice) {
  Coins coins = Coins::insecure(6);
  EXPECT_THROW((void)exponential_mechanism(coins, CellCounts{}, {1, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::robin
