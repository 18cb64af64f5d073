#include "sotto/bench/lab/p2b/synthetic_world.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/apps/p2b/recorded_world.h"

namespace sotto::apps {
namespace {

RC_GTEST_PROP(NormaliseContext, MakesAnyFeaturesSumToOne, (std::vector<double> features)) {
  RC_PRE(!features.empty());
  for (double& feature : features) {
    if (!std::isfinite(feature)) feature = 1;
  }
  const auto negative = static_cast<std::size_t>(
      std::count_if(features.begin(), features.end(), [](double x) { return x < 0; }));
  RC_ASSERT(normalise_context(features) == negative);
  RC_ASSERT(std::abs(std::accumulate(features.begin(), features.end(), 0.0) - 1) < 1e-9);
  for (const double feature : features) RC_ASSERT(feature >= 0);
}

TEST(NormaliseContext, SpreadsNothingEvenly) {
  std::vector<double> features{0, -3, 0, 0};
  EXPECT_EQ(normalise_context(features), 1u);
  EXPECT_EQ(features, (std::vector<double>{.25, .25, .25, .25}));
  std::vector<double> huge{1e308, 1e308};
  normalise_context(huge);
  EXPECT_EQ(huge, (std::vector<double>{.5, .5}));
}

TEST(SyntheticWorld, FollowsFromItsSeed) {
  const SyntheticSettings settings{20, 6, 5, 4, .01};
  const SyntheticWorld world(settings, 3), same(settings, 3), other(settings, 4);
  std::vector<double> a, b, c;
  EXPECT_EQ(world.meet(7, a), 4u);
  same.meet(2, b);
  same.meet(7, b);
  other.meet(7, c);
  EXPECT_EQ(a, b) << "whatever was asked before";
  EXPECT_NE(a, c);
  for (std::size_t arm = 0; arm < 5; ++arm) {
    const std::span<const double> context = std::span<const double>(a).first(6);
    EXPECT_EQ(world.reward(7, 0, context, arm), same.reward(7, 0, context, arm));
  }
}

TEST(SyntheticWorldStatistical, PaysWhatItsWeightsSay) {
  // One context again and again, as the reward of many steps.
  const SyntheticSettings settings{2, 4, 3, 1, .01};
  const SyntheticWorld world(settings, 5);
  const std::vector<double> context{.4, .3, .2, .1};
  std::vector<double> expected(3);
  ASSERT_TRUE(world.expected_rewards(0, 0, context, expected));
  constexpr int n = 40'000;
  for (std::size_t arm = 0; arm < 3; ++arm) {
    double paid = 0;
    for (int user = 0; user < n; ++user) {
      paid += world.reward(static_cast<std::size_t>(user), 0, context, arm) / n;
    }
    // Noise of .01 that is clipped at 0 adds at most .004.
    EXPECT_NEAR(paid, expected[arm], .0045 + 5 * std::sqrt(.25 / n));
  }
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), .02) << "some arm pays";
}

TEST(SyntheticWorldStatistical, IsAsHardAsThePapers) {
  // Over W, the best of 10 arms pays .175 on average, and uniform play .046 (half normal).
  double best = 0, uniform = 0;
  constexpr int draws = 200, users = 10;
  for (int seed = 0; seed < draws; ++seed) {
    const SyntheticWorld world({users, 10, 10, 10, .01}, static_cast<std::uint64_t>(seed));
    std::vector<double> contexts, rewards(10);
    for (std::size_t user = 0; user < users; ++user) {
      const std::size_t steps = world.meet(user, contexts);
      for (std::size_t step = 0; step < steps; ++step) {
        (void)world.expected_rewards(
            user, step, std::span<const double>(contexts).subspan(step * 10, 10), rewards);
        best += *std::max_element(rewards.begin(), rewards.end()) / (draws * users * 10);
        uniform += std::accumulate(rewards.begin(), rewards.end(), 0.0) / (draws * users * 100);
      }
    }
  }
  EXPECT_NEAR(best, .175, .015);
  EXPECT_NEAR(uniform, .046, .006);
}

TEST(PartOfWorld, StopsItsUsersEarly) {
  const SyntheticWorld world({20, 6, 5, 4, .01}, 3);
  const PartOfWorld part(world, 8, 3);
  EXPECT_EQ(part.users(), 8u);
  std::vector<double> some, all;
  EXPECT_EQ(part.meet(5, some), 3u);
  world.meet(5, all);
  all.resize(18);
  EXPECT_EQ(some, all);
  EXPECT_EQ(PartOfWorld(world, 100, 100).meet(5, some), 4u);
  EXPECT_EQ(PartOfWorld(world, 100, 100).users(), 20u);
}

}  // namespace
}  // namespace sotto::apps
