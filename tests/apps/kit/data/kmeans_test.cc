#include "sotto/apps/kit/data/kmeans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "sotto/apps/kit/data/seeded.h"

namespace sotto::apps {
namespace {

// 50 rows round each of four far corners, in turn.
std::vector<double> four_clusters() {
  SeededDraws draws(7);
  std::vector<double> values;
  for (int r = 0; r < 200; ++r) {
    values.push_back((r % 4 < 2 ? -10 : 10) + draws.unit() - 0.5);
    values.push_back((r % 2 == 0 ? -10 : 10) + draws.unit() - 0.5);
  }
  return values;
}

TEST(KMeans, FindsSeparatedClusters) {
  const std::vector<double> values = four_clusters();
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const KMeans arms = fit_kmeans(values, 2, 4, seed);
    std::set<std::pair<int, int>> corners;
    for (std::size_t c = 0; c < 4; ++c) {
      const double x = arms.centres[2 * c];
      const double y = arms.centres[2 * c + 1];
      EXPECT_NEAR(std::abs(x), 10, 0.2);
      EXPECT_NEAR(std::abs(y), 10, 0.2);
      corners.emplace(x > 0, y > 0);
    }
    EXPECT_EQ(corners.size(), 4U) << "seed " << seed;
    EXPECT_LT(arms.inertia, 200 * 0.5);
  }
}

TEST(KMeans, SameSeedSameArms) {
  const std::vector<double> values = four_clusters();
  EXPECT_EQ(fit_kmeans(values, 2, 7, 3).centres, fit_kmeans(values, 2, 7, 3).centres);
  EXPECT_NE(fit_kmeans(values, 2, 7, 3).centres, fit_kmeans(values, 2, 7, 4).centres);
}

TEST(KMeans, OneArmIsTheMean) {
  const std::vector<double> values{1, 2, 3, 6};
  const KMeans arm = fit_kmeans(values, 1, 1, 9);
  EXPECT_THAT(arm.centres, testing::ElementsAre(3));
  EXPECT_DOUBLE_EQ(arm.inertia, 4 + 1 + 0 + 9);
}

TEST(KMeans, AsManyArmsAsRowsHaveNoInertia) {
  const std::vector<double> values{1, 2, 3, 6};
  KMeans arms = fit_kmeans(values, 1, 4, 9);
  std::sort(arms.centres.begin(), arms.centres.end());
  EXPECT_EQ(arms.centres, values);
  EXPECT_EQ(arms.inertia, 0);
}

TEST(KMeans, EqualRowsAreNoTrouble) {
  const std::vector<double> values(20, 0.25);
  const KMeans arms = fit_kmeans(values, 2, 3, 1);
  EXPECT_THAT(arms.centres, testing::Each(0.25));
}

TEST(KMeans, RefusesShapesThatDoNotFit) {
  const std::vector<double> values{1, 2, 3, 4};
  EXPECT_THROW((void)fit_kmeans(values, 3, 1, 0), std::invalid_argument);
  EXPECT_THROW((void)fit_kmeans(values, 0, 1, 0), std::invalid_argument);
  EXPECT_THROW((void)fit_kmeans(values, 2, 0, 0), std::invalid_argument);
  EXPECT_THROW((void)fit_kmeans(values, 2, 3, 0), std::invalid_argument);
  EXPECT_THROW((void)reward_probabilities(KMeans{2, {0, 0}, 0, 0}, std::vector<double>{1}),
               std::invalid_argument);
}

RC_GTEST_PROP(KMeans, MoreArmsThanOneNeverRaiseTheInertiaOfTheMean, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 40);
  const auto k = *rc::gen::inRange<std::size_t>(1, rows + 1);
  std::vector<double> values;
  for (std::size_t i = 0; i < 2 * rows; ++i) values.push_back(*rc::gen::inRange(-50, 50) / 8.0);
  const KMeans one = fit_kmeans(values, 2, 1, 1);
  const KMeans arms = fit_kmeans(values, 2, k, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(arms.centres.size() == 2 * k);
  RC_ASSERT(arms.inertia <= one.inertia * (1 + 1e-9) + 1e-9);
}

TEST(RewardProbabilities, FollowTheDistance) {
  const KMeans arms{2, {0, 0, 1, 0}, 0, 0};
  const auto p = reward_probabilities(arms, std::vector<double>{0, 0, 0.6, 0.8});
  EXPECT_THAT(p, testing::Pointwise(testing::DoubleNear(1e-15),
                                    {1.0, std::exp(-2.0), std::exp(-2.0), std::exp(-2 * 0.8)}));
}

TEST(DrawRewards, AreBernoulliAndReproducible) {
  constexpr std::size_t draws = 40000;
  std::vector<double> p(draws, 0.3);
  p.insert(p.end(), {0, 1});
  const auto rewards = draw_rewards(p, 5);
  EXPECT_EQ(rewards, draw_rewards(p, 5));
  EXPECT_NE(rewards, draw_rewards(p, 6));
  EXPECT_EQ(rewards[draws], 0);
  EXPECT_EQ(rewards[draws + 1], 1);
  const auto ones = std::count(rewards.begin(), rewards.begin() + draws, 1.0);
  EXPECT_EQ(ones + std::count(rewards.begin(), rewards.begin() + draws, 0.0),
            static_cast<long>(draws));
  // Six standard deviations of sqrt(.3 .7 / 40000) = .0023; the seed is fixed.
  EXPECT_NEAR(static_cast<double>(ones) / draws, 0.3, 0.014);
}

TEST(SeededDraws, BelowAndPermutationStayInRange) {
  SeededDraws draws(3);
  std::vector<int> counts(3);
  for (int i = 0; i < 3000; ++i) ++counts.at(draws.below(3));
  EXPECT_THAT(counts, testing::Each(testing::AllOf(testing::Gt(850), testing::Lt(1150))));
  auto order = draws.permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(draws.permutation(0).empty());
}

}  // namespace
}  // namespace sotto::apps
