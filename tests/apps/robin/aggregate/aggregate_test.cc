#include "apps/robin/aggregate/aggregate.h"

#include "apps/kit/learn/seeded.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::robin {
namespace {

using Numbers = std::vector<double>;

// A budget so large that the noise is negligible.
constexpr ReleaseShare boundless{Composition::zcdp, 1e14, 0};

AggregateSettings aggregate_settings(std::size_t dimension, double tau, const ReleaseShare& share = boundless) {
  return AggregateSettings{.dimension = dimension, .tau = tau, .share = share, .around = {}};
}

Numbers estimates_round(const Numbers& centre, std::size_t clients, double spread, std::uint64_t seed) {
  SeededDraws draws(seed);
  Numbers estimates;
  for (std::size_t i = 0; i < clients; ++i) {
    for (const double x : centre) estimates.push_back(x + spread * (2 * draws.unit() - 1));
  }
  return estimates;
}

Numbers plain_mean(const Numbers& estimates, std::size_t dimension) {
  Numbers mean(dimension);
  for (std::size_t i = 0; i < estimates.size(); ++i) mean[i % dimension] += estimates[i];
  for (double& x : mean) x *= static_cast<double>(dimension) / static_cast<double>(estimates.size());
  return mean;
}

double distance(const Numbers& a, const Numbers& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(PaddedDimension, IsAPowerOfTwo) {
  EXPECT_EQ(padded_dimension(1), 1U);
  EXPECT_EQ(padded_dimension(4), 4U);
  EXPECT_EQ(padded_dimension(5), 8U);
}

PROPERTY(Aggregate, IsTheMeanWhereNothingIsClipped) {
  const auto seed = draw<std::uint64_t>();
  const auto dimension = draw_in_range<std::size_t>(1, 40);
  const auto clients = draw_in_range<std::size_t>(2, 200);
  const bool around = draw<bool>();
  Numbers centre(dimension);
  SeededDraws draws(seed);
  for (double& x : centre) x = (draws.unit() - 0.5) / std::sqrt(static_cast<double>(dimension));
  const double spread = 0.05 / std::sqrt(static_cast<double>(dimension));
  const Numbers estimates = estimates_round(centre, clients, spread, seed + 1);
  // Any two estimates differ by at most tau, so the range around one estimate's bin contains all estimates.
  AggregateSettings settings = aggregate_settings(dimension, 0.1);
  if (around) settings.around = centre;
  Coins coins = Coins::insecure(seed);
  const AggregateResult result = aggregate(estimates, settings, coins);
  HOLDS(result.outside == 0U);
  HOLDS(result.clipped == 0U);
  HOLDS(result.mean.size() == dimension);
  HOLDS(result.ranges.size() == padded_dimension(dimension));
  HOLDS(distance(result.mean, plain_mean(estimates, dimension)) < 1e-6 * std::sqrt(static_cast<double>(dimension)));
  for (const auto& [low, high] : result.ranges) HOLDS(std::abs(high - low - 0.4) < 1e-12);
}

TEST(Aggregate, ShortensLongEstimates) {
  const Numbers estimates{600, 800, 0.6, 0.8, 0.6, 0.8, 1e300, 4e300 / 3};
  Coins coins = Coins::insecure(1);
  const AggregateResult result = aggregate(estimates, aggregate_settings(2, 0.1), coins);
  EXPECT_EQ(result.clipped, 2U);
  EXPECT_LT(distance(result.mean, {0.6, 0.8}), 1e-5);
}

TEST(Aggregate, ClipsWhatIsOutsideTheRange) {
  Numbers estimates(99, 0.5);
  estimates.push_back(-1);
  Coins coins = Coins::insecure(2);
  const AggregateResult result = aggregate(estimates, aggregate_settings(1, 0.05), coins);
  EXPECT_EQ(result.outside, 1U);
  const auto [low, high] = result.ranges[0];
  EXPECT_NEAR(high - low, 0.2, 1e-12);
  const double sign = result.signs[0];
  EXPECT_NEAR(result.mean[0], (99 * 0.5 + sign * (sign > 0 ? low : high)) / 100, 1e-5);
}

// With the same range, replacing one estimate moves each rotated coordinate of the mean by at most 4 tau / n.
PROPERTY(Aggregate, HasTheStatedSensitivity) {
  const auto seed = draw<std::uint64_t>();
  const auto dimension = draw_in_range<std::size_t>(1, 9);
  const auto clients = draw_in_range<std::size_t>(2, 30);
  Numbers estimates = estimates_round(Numbers(dimension), clients, 1, seed);
  AggregateSettings settings = aggregate_settings(dimension, 0.1);
  settings.around = Numbers(dimension, 0.1);
  Coins coins = Coins::insecure(seed);
  const Numbers before = aggregate(estimates, settings, coins).mean;
  SeededDraws draws(seed + 1);
  for (std::size_t j = 0; j < dimension; ++j) estimates[j] = 4 * draws.unit() - 2;
  Coins same_coins = Coins::insecure(seed);
  const Numbers after = aggregate(estimates, settings, same_coins).mean;
  const double padded = static_cast<double>(padded_dimension(dimension));
  HOLDS(distance(before, after) <= 4 * 0.1 * std::sqrt(padded) / static_cast<double>(clients) + 1e-5);
}

TEST(Aggregate, ReachesTheStatedSensitivity) {
  AggregateSettings settings = aggregate_settings(1, 0.1);
  settings.around = Numbers{0};
  Coins coins = Coins::insecure(3);
  const double before = aggregate(Numbers{0, 1}, settings, coins).mean[0];
  const double after = aggregate(Numbers{0, -1}, settings, coins).mean[0];
  EXPECT_NEAR(before - after, 4 * 0.1 / 2, 1e-5);
}

TEST(Aggregate, AddsTheNoiseItSaysStatistical) {
  for (const NoiseKind noise : {NoiseKind::gaussian, NoiseKind::laplace}) {
    AggregateSettings settings = aggregate_settings(3, 0.05, {Composition::zcdp, 0.05, 0});
    settings.noise = noise;
    settings.around = Numbers{0.1, -0.2, 0.3};
    const Numbers estimates = estimates_round(*settings.around, 50, 0, 1);
    Coins coins = Coins::insecure(4);
    constexpr int releases = 20000;
    Numbers squares(3);
    double stated = 0;
    for (int i = 0; i < releases; ++i) {
      const AggregateResult result = aggregate(estimates, settings, coins);
      stated = result.noise_sd;
      for (std::size_t j = 0; j < 3; ++j) {
        const double error = result.mean[j] - (*settings.around)[j];
        squares[j] += error * error;
      }
    }
    EXPECT_DOUBLE_EQ(stated, noise_sd(settings, 50));
    for (const double s : squares) EXPECT_NEAR(std::sqrt(s / releases), stated, 0.03 * stated);
  }
}

// With few clients and a small budget, the stated chance of a misfire is an upper bound, and the real chance is not far
// below it.
TEST(Aggregate, MisfiresNoMoreOftenThanStatedStatistical) {
  AggregateSettings settings = aggregate_settings(1, 0.05, {Composition::zcdp, 0.012, 0});
  constexpr std::size_t clients = 120;
  Coins coins = Coins::insecure(5);
  // In the hardest case for the choice of the range, half of the estimates are on each side of the edge of a bin.
  Numbers estimates;
  for (std::size_t i = 0; i < clients; ++i) estimates.push_back(i % 2 == 0 ? 0.14 : 0.16);
  int misfires = 0;
  constexpr int releases = 20000;
  for (int i = 0; i < releases; ++i) {
    const AggregateResult result = aggregate(estimates, settings, coins);
    const double middle = result.signs[0] * 0.15;
    const auto [low, high] = result.ranges[0];
    if (middle < low - 1e-9 || middle > high + 1e-9) ++misfires;
  }
  const double stated = misfire_chance(settings, clients, 0);
  EXPECT_LE(misfires, releases * stated);
  EXPECT_GE(misfires, releases * stated * 0.3);
}

TEST(MisfireChance, FallsWithClientsAndBudget) {
  const auto chance = [](double rho, std::size_t clients) {
    return misfire_chance(aggregate_settings(4, 0.05, {Composition::zcdp, rho, 0}), clients);
  };
  EXPECT_EQ(chance(1e-4, 10), 1);
  EXPECT_LT(chance(0.01, 1000), chance(0.01, 500));
  EXPECT_LT(chance(0.02, 500), chance(0.01, 500));
  // The expected chance is D (bins - 1) exp(-eta n (1/2 - tail)) for n clients, with D = 4 coordinates, 21 bins, eta =
  // sqrt(rho / D) and the default tail.
  EXPECT_NEAR(chance(0.01, 1000) / (4 * 20 * std::exp(-0.05 * 1000 * 0.433)), 1, 1e-3);
  AggregateSettings around = aggregate_settings(4, 0.05, {Composition::zcdp, 1e-4, 0});
  around.around = Numbers(4);
  EXPECT_EQ(misfire_chance(around, 10), 0);
  EXPECT_THROW((void)misfire_chance(around, 10, 0.6), std::invalid_argument);
}

// Runs of the reference implementation have 8190 steps, 6 releases and 4 features. The program must refuse exactly the
// runs that failed in the reference.
TEST(MisfireChance, TellsTheReferencesRunsApart) {
  const auto sum = [](double epsilon, std::size_t clients) {
    const ReleaseShare share = Budget({epsilon, 1e-5, Composition::zcdp, 6, 4}).share();
    double total = 0;
    for (double steps = 126; steps <= 4096; steps *= 2) {
      total += misfire_chance(aggregate_settings(4, 1.5 / std::sqrt(0.196 * steps), share), clients);
    }
    return total;
  };
  for (const auto& [clients, epsilon] :
       {std::pair<std::size_t, double>{200, 10}, {1000, 1}, {1000, 3}, {4000, 0.5}, {4000, 1}}) {
    EXPECT_LT(sum(epsilon, clients), 0.01) << clients << " " << epsilon;
  }
  for (const auto& [clients, epsilon] : {std::pair<std::size_t, double>{200, 1}, {200, 3}, {1000, 0.5}}) {
    EXPECT_GT(sum(epsilon, clients), 0.01) << clients << " " << epsilon;
  }
}

std::string message_of(const Numbers& estimates, const AggregateSettings& settings) {
  Coins coins = Coins::insecure(6);
  Coins untouched = Coins::insecure(6);
  const std::string error = error_of<InputError>([&] { (void)aggregate(estimates, settings, coins); });
  EXPECT_EQ(coins.next(), untouched.next()) << "coins were drawn before the error";
  return error;
}

TEST(Aggregate, RefusesWhatIsNoSetOfEstimates) {
  const AggregateSettings settings = aggregate_settings(2, 0.1);
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of({}, settings), HasSubstr("0 estimates: a private mean needs"));
  EXPECT_THAT(message_of({0, 1}, settings), HasSubstr("1 estimate: a private mean needs"));
  EXPECT_EQ(message_of({0, 1, 2, not_a_number}, settings), "number 1 of estimate 1 is not finite");
  EXPECT_THAT(message_of({0, 1, -INFINITY, 2}, settings), HasSubstr("number 0 of estimate 1"));
  AggregateSettings without_tau = settings;
  without_tau.tau = 0;
  EXPECT_THAT(message_of({0, 1, 2, 3}, without_tau), HasSubstr("--tau"));
  Coins coins = Coins::insecure(7);
  EXPECT_THROW((void)aggregate(Numbers(3), settings, coins), std::invalid_argument);
  AggregateSettings around = settings;
  around.around = Numbers{0, not_a_number};
  EXPECT_THROW((void)aggregate(Numbers(4), around, coins), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::robin
