#include "apps/bandit/model/twin/plaintext.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"
#include "tests/properties.h"

namespace sotto::apps::bandit {
namespace {

using Vector = std::vector<double>;

PROPERTY(PlaintextBandit, WeightsAreRidgeRegressionOfEachArmsSteps) {
  const auto arms = draw_in_range<std::size_t>(1, 5);
  const auto features = draw_in_range<std::size_t>(1, 9);
  std::mt19937_64 random(draw_in_range<std::uint64_t>(0, 1u << 30));
  PlaintextBandit bandit(arms, features, .3, random());
  std::vector<RidgeSums> sums(arms, RidgeSums(features));
  for (int t = 0; t < 60; ++t) {
    const Vector x = unit_vector(random, features);
    const std::size_t arm = bandit.select(x);
    HOLDS(arm < arms);
    const double reward = std::uniform_real_distribution<double>(-1, 1)(random);
    bandit.update(x, arm, reward);
    sums[arm].add(x, reward);
  }
  for (std::size_t a = 0; a < arms; ++a) {
    const Eigen::VectorXd weights = sums[a].weights();
    const Eigen::MatrixXd inverse = inverse_of(sums[a].gram);
    for (std::size_t i = 0; i < features; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      HOLDS(std::abs(bandit.weights(a)[i] - weights(row)) < 1e-10);
      for (std::size_t j = 0; j < features; ++j) {
        HOLDS(std::abs(bandit.inverse_matrix(a)[i * features + j] - inverse(row, static_cast<Eigen::Index>(j))) <
              1e-10);
      }
    }
  }
}

TEST(PlaintextBandit, BreaksTiesUniformly) {
  PlaintextBandit bandit(4, 2, 0, 7);
  const Vector x{1, 0};
  bandit.update(x, 2, -1);  // arms 0, 1 and 3 tie at score 0
  std::vector<int> counts(4, 0);
  for (int t = 0; t < 30'000; ++t) ++counts[bandit.select(x)];
  EXPECT_EQ(counts[2], 0);
  for (const std::size_t arm : {0u, 1u, 3u}) EXPECT_NEAR(counts[arm], 10'000, 500);
}

TEST(PlaintextBandit, ExploresAsOftenAsEpsilonSays) {
  PlaintextBandit bandit(5, 1, .2, 11);
  const Vector x{1};
  bandit.update(x, 3, 1);
  std::vector<int> counts(5, 0);
  for (int t = 0; t < 50'000; ++t) ++counts[bandit.select(x)];
  EXPECT_NEAR(counts[3], 50'000 * .84, 500);
  EXPECT_NEAR(counts[0], 50'000 * .04, 300);
}

TEST(PlaintextBandit, IsGreedyWithoutExploration) {
  PlaintextBandit bandit(3, 1, 0, 1);
  const Vector x{1};
  bandit.update(x, 1, .5);
  EXPECT_DOUBLE_EQ(bandit.scores(x)[1], .25);
  for (int t = 0; t < 100; ++t) EXPECT_EQ(bandit.select(x), 1u);
}

TEST(PlaintextBandit, RefusesWrongSizes) {
  EXPECT_THROW(PlaintextBandit(0, 1, .1, 0), std::invalid_argument);
  EXPECT_THROW(PlaintextBandit(1, 0, .1, 0), std::invalid_argument);
  EXPECT_THROW(PlaintextBandit(1, 1, 1.1, 0), InputError);
  PlaintextBandit bandit(2, 2, .1, 0);
  EXPECT_THROW(bandit.select(Vector{1}), std::invalid_argument);
  EXPECT_THROW(bandit.update(Vector{1, 0}, 2, 0), std::invalid_argument);
  EXPECT_THROW((void)bandit.weights(2), std::invalid_argument);
}

// The arm with the number of the largest feature pays 1, and all other arms pay 0.
PlaintextRun easy_run(double epsilon, std::uint64_t seed, const BatchSchedule& order = BatchSchedule::even(4000)) {
  std::vector<Vector> contexts;
  std::mt19937_64 random(5);
  for (int t = 0; t < 2000; ++t) contexts.push_back(unit_vector(random, 4));
  const auto best = [&](std::uint64_t t) {
    const Vector& x = contexts[t % contexts.size()];
    return static_cast<std::size_t>(std::max_element(x.begin(), x.end()) - x.begin());
  };
  return run_plaintext([&](std::uint64_t t) { return std::span<const double>(contexts[t % contexts.size()]); },
                       [&](std::uint64_t t, std::size_t arm) { return arm == best(t) ? 1.0 : 0.0; }, order, 4, 4,
                       epsilon, seed);
}

TEST(RunPlaintext, LearnsAndExploresAndRepeats) {
  const PlaintextRun greedy = easy_run(.02, 3);
  EXPECT_GT(greedy.average_reward, .8);
  EXPECT_EQ(greedy.curve.back().step, 4000u);
  EXPECT_EQ(greedy.curve.back().average_reward, greedy.average_reward);
  EXPECT_NEAR(easy_run(1, 3).average_reward, .25, .04);
  EXPECT_EQ(easy_run(.02, 3).average_reward, greedy.average_reward);
  EXPECT_NE(easy_run(.02, 4).curve[20].average_reward, greedy.curve[20].average_reward);
}

TEST(RunPlaintext, DecidesByWhatWasLearnedByThen) {
  EXPECT_NEAR(easy_run(.02, 3, BatchSchedule::even(4000, 4000)).average_reward, .25, .04);
  const double in_batches = easy_run(.02, 3, BatchSchedule::even(4000, 500)).average_reward;
  EXPECT_GT(in_batches, .6);
  EXPECT_LT(in_batches, easy_run(.02, 3).average_reward);
  const PlaintextRun all_explored = easy_run(1, 3);
  const PlaintextRun in_other_order = easy_run(1, 3, BatchSchedule::even(4000, 37));
  EXPECT_EQ(all_explored.average_reward, in_other_order.average_reward);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(all_explored.bandit.weights(2)[i], in_other_order.bandit.weights(2)[i]);
}

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
    EXPECT_TRUE(follower.decided(x, arm));
    follower.learned(x, arm, reward);
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
    follower.decided(x, arm);
    follower.learned(x, arm, reward);
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
  EXPECT_TRUE(follower.decided(x, 1));  // every score is 0, so any arm is greedy
  EXPECT_TRUE(follower.decided(x, 0));  // the bandit has not learned anything yet
  follower.learned(x, 1, 1);
  EXPECT_FALSE(follower.decided(x, 0));
  const PlaintextComparison comparison = follower.comparison();
  ASSERT_EQ(comparison.first_differences.size(), 1u);
  EXPECT_EQ(comparison.first_differences[0].step, 3u);
  EXPECT_EQ(comparison.first_differences[0].arm, 0u);
  EXPECT_EQ(comparison.first_differences[0].plaintext_arm, 1u);
  EXPECT_DOUBLE_EQ(comparison.first_differences[0].gap, .5);
  EXPECT_EQ(comparison.near_ties, 0u);
  EXPECT_THROW(follower.decided(x, 2), std::invalid_argument);
}

TEST(PlaintextFollower, MeasuresRevealedWeights) {
  PlaintextFollower follower(1, 2, 2, .1);
  follower.learned(Vector{1, 0}, 1, 1);  // weights of arm 1: (1/2, 0)
  const std::vector<Vector> revealed{{0, 0}, {.5, -.001}};
  EXPECT_DOUBLE_EQ(*follower.comparison(revealed).largest_weight_difference, .001);
  EXPECT_THROW((void)follower.comparison(std::vector<Vector>{{0, 0}}), std::invalid_argument);
  EXPECT_THROW((void)follower.comparison(std::vector<Vector>{{0, 0}, {0}}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::bandit
