#include "apps/prepare/data/reduction.h"
#include "apps/kit/learn/seeded.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::prepare {
namespace {

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
  EXPECT_THAT(arm.centres, ElementsAre(3));
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
  EXPECT_THAT(arms.centres, ::testing::Each(0.25));
}

TEST(KMeans, RefusesShapesThatDoNotFit) {
  const std::vector<double> values{1, 2, 3, 4};
  EXPECT_THROW((void)fit_kmeans(values, 3, 1, 0), std::invalid_argument);
  EXPECT_THROW((void)fit_kmeans(values, 0, 1, 0), std::invalid_argument);
  EXPECT_THROW((void)fit_kmeans(values, 2, 0, 0), std::invalid_argument);
  EXPECT_THROW((void)fit_kmeans(values, 2, 3, 0), std::invalid_argument);
  EXPECT_THROW((void)reward_probabilities(KMeans{2, {0, 0}, 0, 0}, std::vector<double>{1}), std::invalid_argument);
}

PROPERTY(KMeans, MoreArmsThanOneNeverRaiseTheInertiaOfTheMean) {
  const auto rows = draw_in_range<std::size_t>(1, 40);
  const auto k = draw_in_range<std::size_t>(1, rows + 1);
  std::vector<double> values;
  for (std::size_t i = 0; i < 2 * rows; ++i) values.push_back(draw_in_range(-50, 50) / 8.0);
  const KMeans one = fit_kmeans(values, 2, 1, 1);
  const KMeans arms = fit_kmeans(values, 2, k, draw<std::uint64_t>());
  HOLDS(arms.centres.size() == 2 * k);
  HOLDS(arms.inertia <= one.inertia * (1 + 1e-9) + 1e-9);
}

TEST(RewardProbabilities, FollowTheDistance) {
  const KMeans arms{2, {0, 0, 1, 0}, 0, 0};
  const auto p = reward_probabilities(arms, std::vector<double>{0, 0, 0.6, 0.8});
  EXPECT_THAT(
      p, ::testing::Pointwise(::testing::DoubleNear(1e-15), {1.0, std::exp(-2.0), std::exp(-2.0), std::exp(-2 * 0.8)}));
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
  EXPECT_EQ(ones + std::count(rewards.begin(), rewards.begin() + draws, 0.0), static_cast<long>(draws));
  // The bound is six standard deviations; one standard deviation is sqrt(.3 .7 / 40000) = .0023. The seed is fixed.
  EXPECT_NEAR(static_cast<double>(ones) / draws, 0.3, 0.014);
}

TEST(SeededDraws, BelowAndPermutationStayInRange) {
  SeededDraws draws(3);
  std::vector<int> counts(3);
  for (int i = 0; i < 3000; ++i) ++counts.at(draws.below(3));
  EXPECT_THAT(counts, ::testing::Each(AllOf(::testing::Gt(850), ::testing::Lt(1150))));
  auto order = draws.permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(draws.permutation(0).empty());
}

using ::testing::DoubleNear;
using ::testing::Pointwise;

RowSource rows_of(const std::vector<double>& values, std::size_t columns) {
  return {values.size() / columns, columns, [&values, columns](std::size_t r, std::span<double> out) {
            for (std::size_t c = 0; c < columns; ++c) out[c] = values[r * columns + c];
          }};
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The covariance is [[5, 4], [4, 5]], with eigenvalues 9 and 1 along (1, 1) and (1, -1).
TEST(Pca, KnownTwoByTwo) {
  const std::vector<double> data{10 + 3, 20 + 3, 10 - 3, 20 - 3, 10 + 1, 20 - 1, 10 - 1, 20 + 1};
  const Pca pca = fit_pca(rows_of(data, 2), 2);
  EXPECT_THAT(pca.mean, ElementsAre(10, 20));
  EXPECT_THAT(pca.variances, ElementsAre(DoubleNear(9, 1e-12), DoubleNear(1, 1e-12)));
  EXPECT_NEAR(pca.total_variance, 10, 1e-12);
  const double s = std::sqrt(0.5);
  EXPECT_NEAR(pca.loadings[0], s, 1e-12);
  EXPECT_NEAR(pca.loadings[1], s, 1e-12);
  EXPECT_NEAR(std::abs(pca.loadings[2]), s, 1e-12);
  EXPECT_NEAR(pca.loadings[2] + pca.loadings[3], 0, 1e-12);
  const std::vector<double> projected = project(pca, rows_of(data, 2));
  EXPECT_NEAR(projected[0], 3 / s, 1e-12);
  EXPECT_NEAR(projected[1], 0, 1e-12);
  EXPECT_NEAR(std::abs(projected[5]), 1 / s, 1e-12);
}

// The data scatters along three known orthogonal directions: (2, 2, 1)/3, (-2, 1, 2)/3, (1, -2, 2)/3, at +-6, +-3 and
// +-1.
TEST(Pca, KnownThreeByThree) {
  const double directions[3][3] = {{2, 2, 1}, {-2, 1, 2}, {1, -2, 2}};
  const double lengths[3] = {6, 3, 1};
  std::vector<double> data;
  for (int d = 0; d < 3; ++d) {
    for (const double sign : {1.0, -1.0}) {
      for (int c = 0; c < 3; ++c) data.push_back(5 + sign * lengths[d] * directions[d][c] / 3);
    }
  }
  const Pca pca = fit_pca(rows_of(data, 3), 2);
  EXPECT_THAT(pca.variances, ElementsAre(DoubleNear(12, 1e-12), DoubleNear(3, 1e-12)));
  EXPECT_NEAR(pca.total_variance, 12 + 3 + 1.0 / 3, 1e-12);
  // The loading of largest magnitude is positive. In this data two loadings tie, so the result is the direction itself
  // or its opposite.
  for (int d = 0; d < 2; ++d) {
    const auto loading = std::span(pca.loadings).subspan(3 * static_cast<std::size_t>(d), 3);
    double cosine = 0;
    for (std::size_t c = 0; c < 3; ++c) cosine += loading[c] * directions[d][c] / 3;
    EXPECT_NEAR(std::abs(cosine), 1, 1e-12);
  }
}

TEST(Pca, LargestLoadingIsPositive) {
  const std::vector<double> data{1, -3, -1, 3, 2, -6, -2, 6};
  const Pca pca = fit_pca(rows_of(data, 2), 1);
  EXPECT_NEAR(pca.loadings[0], -1 / std::sqrt(10), 1e-12);
  EXPECT_NEAR(pca.loadings[1], 3 / std::sqrt(10), 1e-12);
  EXPECT_NEAR(pca.variances[0], 25, 1e-12);
}

TEST(Pca, RefusesShapesThatDoNotFit) {
  const std::vector<double> data{1, 2, 3, 4};
  EXPECT_THROW((void)fit_pca(rows_of(data, 2), 3), std::invalid_argument);
  EXPECT_THROW((void)fit_pca(RowSource{0, 2, {}}, 1), std::invalid_argument);
  const Pca pca = fit_pca(rows_of(data, 2), 1);
  EXPECT_THROW((void)project(pca, rows_of(data, 4)), std::invalid_argument);
}

std::vector<double> random_data(std::size_t rows, std::size_t columns, int offset) {
  std::vector<double> data;
  for (std::size_t i = 0; i < rows * columns; ++i) data.push_back(offset + draw_in_range(-1000, 1000) / 250.0);
  return data;
}

PROPERTY(Pca, LoadingsAreOrthonormalAndScoresUncorrelated) {
  const auto columns = draw_in_range<std::size_t>(1, 7);
  const auto rows = draw_in_range<std::size_t>(1, 40);
  const std::vector<double> data = random_data(rows, columns, draw_in_range(-1000, 1000));
  const Pca pca = fit_pca(rows_of(data, columns), columns);
  const std::vector<double> scores = project(pca, rows_of(data, columns));
  for (std::size_t i = 0; i < columns; ++i) {
    const auto a = std::span(pca.loadings).subspan(i * columns, columns);
    for (std::size_t j = 0; j < columns; ++j) {
      const auto b = std::span(pca.loadings).subspan(j * columns, columns);
      HOLDS(std::abs(dot(a, b) - (i == j ? 1 : 0)) < 1e-10);
      double covariance = 0;
      for (std::size_t r = 0; r < rows; ++r) covariance += scores[r * columns + i] * scores[r * columns + j];
      covariance /= static_cast<double>(rows);
      HOLDS(std::abs(covariance - (i == j ? pca.variances[i] : 0)) < 1e-8);
    }
    if (i > 0) HOLDS(pca.variances[i] <= pca.variances[i - 1] + 1e-12);
    double largest = 0;
    for (const double loading : a) {
      if (std::abs(loading) > std::abs(largest)) largest = loading;
    }
    HOLDS(largest > 0);
  }
}

PROPERTY(Pca, AllComponentsReconstructTheData) {
  const auto columns = draw_in_range<std::size_t>(1, 7);
  const auto rows = draw_in_range<std::size_t>(1, 40);
  const std::vector<double> data = random_data(rows, columns, 0);
  const Pca pca = fit_pca(rows_of(data, columns), columns);
  const std::vector<double> scores = project(pca, rows_of(data, columns));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      double value = pca.mean[c];
      for (std::size_t i = 0; i < columns; ++i) value += scores[r * columns + i] * pca.loadings[i * columns + c];
      HOLDS(std::abs(value - data[r * columns + c]) < 1e-9);
    }
  }
}

// The data has more rows than the program keeps in memory at a time. The test compares the result with power iteration
// on the covariance.
TEST(Pca, ManyRowsAgreeWithPowerIteration) {
  constexpr std::size_t rows = 1500;
  constexpr std::size_t columns = 5;
  std::vector<double> data;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      data.push_back(std::sin(static_cast<double>((r * 7 + c * 131) % 997) * static_cast<double>(c + 1)) *
                     static_cast<double>(c + 1));
    }
  }
  std::vector<double> mean(columns);
  for (std::size_t i = 0; i < data.size(); ++i) mean[i % columns] += data[i] / rows;
  std::vector<double> v(columns, 1);
  double eigenvalue = 0;
  for (int iteration = 0; iteration < 2000; ++iteration) {
    std::vector<double> next(columns);
    for (std::size_t r = 0; r < rows; ++r) {
      double score = 0;
      for (std::size_t c = 0; c < columns; ++c) score += (data[r * columns + c] - mean[c]) * v[c];
      for (std::size_t c = 0; c < columns; ++c) next[c] += (data[r * columns + c] - mean[c]) * score / rows;
    }
    eigenvalue = std::sqrt(dot(next, next));
    for (std::size_t c = 0; c < columns; ++c) v[c] = next[c] / eigenvalue;
  }
  const Pca pca = fit_pca(rows_of(data, columns), 1);
  EXPECT_NEAR(pca.variances[0], eigenvalue, 1e-9);
  EXPECT_NEAR(std::abs(dot(pca.loadings, v)), 1, 1e-9);
}

TEST(UnitNorm, DividesRowsAndCountsThoseWithoutDirection) {
  std::vector<double> values{3, 4, 0, 0, -1e-200, 0, 0, 2};
  EXPECT_EQ(unit_norm(values, 2), 2U);
  EXPECT_THAT(values, Pointwise(DoubleNear(1e-15), {0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}));
  std::vector<double> zeros{0, 0};
  EXPECT_EQ(unit_norm(zeros, 1), 2U);
  EXPECT_THAT(zeros, ElementsAre(0, 0));
  std::vector<double> huge{3e200, 4e200};
  EXPECT_EQ(unit_norm(huge, 2), 0U);
  EXPECT_NEAR(huge[0], 0.6, 1e-15);
  EXPECT_THROW((void)unit_norm(values, 3), std::invalid_argument);
  EXPECT_THROW((void)unit_norm(values, 0), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps::prepare
