#include "sotto/apps/bandit/follower.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto::apps {
namespace {

using Vector = std::vector<double>;

Vector context(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-.5, .5);
  return {uniform(random), uniform(random), uniform(random)};
}

TEST(PlaintextFollower, AgreesWithAnEqualRun) {
  std::mt19937_64 random(1);
  PlaintextBandit other(3, 3, 0, 17);
  PlaintextFollower follower(500, 3, 3, 0);
  for (int t = 0; t < 500; ++t) {
    const Vector x = context(random);
    const std::size_t arm = other.select(x);
    const double reward = x[arm] > 0 ? 1 : 0;
    EXPECT_TRUE(follower.follow(x, arm, reward));
    other.update(x, arm, reward);
  }
  const PlaintextComparison comparison = follower.comparison();
  EXPECT_EQ(comparison.steps, 500u);
  EXPECT_EQ(comparison.agreeing_steps, 500u);
  EXPECT_EQ(comparison.agreement, 1);
  EXPECT_EQ(comparison.expected_agreement, 1);
  EXPECT_TRUE(comparison.first_differences.empty());
  EXPECT_EQ(comparison.largest_gap, 0);
  EXPECT_FALSE(comparison.largest_weight_difference);
}

TEST(PlaintextFollower, SeesExplorationAsDifferences) {
  std::mt19937_64 random(2);
  PlaintextBandit other(4, 3, .4, 17);
  PlaintextFollower follower(5000, 4, 3, .4);
  for (int t = 0; t < 5000; ++t) {
    const Vector x = context(random);
    const std::size_t arm = other.select(x);
    const double reward = x[arm % 3];
    follower.follow(x, arm, reward);
    other.update(x, arm, reward);
  }
  const PlaintextComparison comparison = follower.comparison();
  EXPECT_NEAR(comparison.expected_agreement, .7, 1e-12);
  EXPECT_NEAR(comparison.agreement, .7, .03);
  EXPECT_EQ(comparison.first_differences.size(), PlaintextFollower::max_listed);
  EXPECT_GT(comparison.average_gap, 0);
  EXPECT_LE(comparison.average_gap, comparison.largest_gap);
  EXPECT_EQ(comparison.agreement_curve.back().step, 5000u);
  EXPECT_DOUBLE_EQ(comparison.agreement_curve.back().average_reward, comparison.agreement);
}

TEST(PlaintextFollower, DescribesADifference) {
  PlaintextFollower follower(3, 2, 1, .1);
  const Vector x{1};
  EXPECT_TRUE(follower.follow(x, 1, 1));  // every score is 0: any arm is greedy
  EXPECT_FALSE(follower.follow(x, 0, 0));
  const PlaintextComparison comparison = follower.comparison();
  ASSERT_EQ(comparison.first_differences.size(), 1u);
  EXPECT_EQ(comparison.first_differences[0].step, 2u);
  EXPECT_EQ(comparison.first_differences[0].arm, 0u);
  EXPECT_EQ(comparison.first_differences[0].plaintext_arm, 1u);
  EXPECT_DOUBLE_EQ(comparison.first_differences[0].gap, .5);
  EXPECT_EQ(comparison.near_ties, 0u);
  EXPECT_THROW(follower.follow(x, 2, 0), std::invalid_argument);
}

TEST(PlaintextFollower, MeasuresRevealedWeights) {
  PlaintextFollower follower(1, 2, 2, .1);
  follower.follow(Vector{1, 0}, 1, 1);  // weights of arm 1: (1/2, 0)
  const std::vector<Vector> revealed{{0, 0}, {.5, -.001}};
  EXPECT_DOUBLE_EQ(*follower.comparison(revealed).largest_weight_difference, .001);
  EXPECT_THROW((void)follower.comparison(std::vector<Vector>{{0, 0}}), std::invalid_argument);
  EXPECT_THROW((void)follower.comparison(std::vector<Vector>{{0, 0}, {0}}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
