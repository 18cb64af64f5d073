#include "sotto/apps/robin/aggregate/private_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace sotto::apps {
namespace {

using testing::ElementsAre;
using Counts = std::vector<std::uint64_t>;

std::vector<double> probabilities(const Counts& costs, double eta) {
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
  EXPECT_THAT(range_costs(Counts{5}), ElementsAre(0));
  EXPECT_THAT(range_costs(Counts{0, 7, 0}), ElementsAre(7, 0, 7));
  EXPECT_THAT(range_costs(Counts{1, 2, 4, 3}), ElementsAre(9, 7, 3, 7));
}

// A neighbour: one number moved to another bin. The claims that the account rests on.
RC_GTEST_PROP(PrivateRange, HasTheStatedSensitivityAndRange, ()) {
  const auto counts = *rc::gen::suchThat(
      rc::gen::nonEmpty(rc::gen::container<Counts>(rc::gen::inRange<std::uint64_t>(0, 20))),
      [](const Counts& c) {
        return std::any_of(c.begin(), c.end(), [](auto n) { return n > 0; });
      });
  const auto from = *rc::gen::suchThat(rc::gen::inRange<std::size_t>(0, counts.size()),
                                       [&](std::size_t bin) { return counts[bin] > 0; });
  const auto to = *rc::gen::inRange<std::size_t>(0, counts.size());
  Counts neighbour = counts;
  --neighbour[from];
  ++neighbour[to];
  const Counts a = range_costs(counts);
  const Counts b = range_costs(neighbour);
  const double eta = 0.37;
  const std::vector<double> p = probabilities(a, eta);
  const std::vector<double> q = probabilities(b, eta);
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    RC_ASSERT(a[bin] <= b[bin] + 1);
    RC_ASSERT(b[bin] <= a[bin] + 1);
    const double ratio = std::log(p[bin] / q[bin]);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  RC_ASSERT(most - least <= 2 * eta + 1e-9);
  RC_ASSERT(std::max(most, -least) <= 2 * eta + 1e-9);
}

// The range of 2 eta is reached: half of it would be a false promise.
TEST(PrivateRange, ReachesTheStatedRange) {
  const Counts a = range_costs(Counts{6, 0, 0, 5});
  const Counts b = range_costs(Counts{5, 0, 0, 6});
  EXPECT_THAT(a, ElementsAre(5, 6, 6, 6));
  EXPECT_THAT(b, ElementsAre(6, 6, 6, 5));
}

void expect_frequencies(const Counts& costs, Ratio eta, std::size_t trials, std::uint64_t seed) {
  Coins coins = Coins::insecure(seed);
  Counts seen(costs.size());
  for (std::size_t i = 0; i < trials; ++i) ++seen[exponential_mechanism(coins, costs, eta)];
  const std::vector<double> p = probabilities(
      costs, static_cast<double>(eta.numerator) / static_cast<double>(eta.denominator));
  const double n = static_cast<double>(trials);
  for (std::size_t bin = 0; bin < costs.size(); ++bin) {
    EXPECT_NEAR(static_cast<double>(seen[bin]), n * p[bin],
                5 * std::sqrt(n * p[bin] * (1 - p[bin])) + 1e-9)
        << bin;
  }
}

TEST(ExponentialMechanism, FollowsItsProbabilities) {
  expect_frequencies(Counts{3, 0, 1, 7, 1}, {1, 2}, 100000, 1);
  expect_frequencies(Counts{1000, 990, 1005}, {1, 10}, 100000, 2);
  expect_frequencies(Counts{4, 9}, {0, 1}, 100000, 3);
  expect_frequencies(Counts{8}, {1, 1}, 100, 4);
}

TEST(ExponentialMechanism, FollowsItsProbabilitiesStatistical) {
  expect_frequencies(Counts{3, 0, 1, 7, 1, 20, 2}, {1, 3}, 5000000, 5);
}

TEST(ExponentialMechanism, NeedsAChoice) {
  Coins coins = Coins::insecure(6);
  EXPECT_THROW((void)exponential_mechanism(coins, Counts{}, {1, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
