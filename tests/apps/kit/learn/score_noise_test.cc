#include "sotto/apps/kit/learn/score_noise.h"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "tests/apps/kit/learn/samples.h"

namespace sotto::apps {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Random, of norms about 1.
Matrix contexts(std::size_t arms, std::size_t d, std::uint64_t seed) {
  StepStream stream(seed, arms);
  const std::vector<double> values = testing::directions(stream, arms, d);
  return Eigen::Map<const Matrix>(values.data(), static_cast<Eigen::Index>(arms),
                                  static_cast<Eigen::Index>(d));
}

std::vector<double> noise(const Matrix& covariance, double v, const std::vector<double>& e,
                          std::size_t rank) {
  const auto arms = static_cast<std::size_t>(covariance.rows());
  ScoreNoise of(arms);
  std::vector<double> scores(arms);
  of.add(scores, covariance.data(), arms, v, e, rank);
  return scores;
}

// Of the noise, from what it makes of each unit vector.
Matrix covariance_of_noise(const Matrix& covariance, double v, std::size_t rank) {
  const auto arms = static_cast<std::size_t>(covariance.rows());
  Matrix sum = Matrix::Zero(covariance.rows(), covariance.cols());
  for (std::size_t arm = 0; arm < arms; ++arm) {
    std::vector<double> e(arms);
    e[arm] = 1;
    const std::vector<double> column = noise(covariance, v, e, rank);
    const Eigen::Map<const Eigen::VectorXd> vector(column.data(), covariance.rows());
    sum += vector * vector.transpose();
  }
  return sum;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST(ScoreNoise, HasTheCovarianceThatIsAskedFor) {
  for (const std::size_t arms : {1u, 2u, 7u, 20u}) {
    for (const std::size_t d : {1u, 2u, 5u, 40u}) {
      const Matrix x = contexts(arms, d, d);
      const Matrix covariance = x * x.transpose();
      EXPECT_LT(largest_difference(covariance_of_noise(covariance, 0.5, d), 0.25 * covariance),
                1e-11)
          << arms << " arms, " << d << " dimensions";
    }
  }
}

TEST(ScoreNoise, IsEqualForEqualArmsAndNoneForNoContext) {
  Matrix x = contexts(9, 4, 1);
  x.row(3) = x.row(0);
  x.row(8) = x.row(0);
  x.row(5) = 2 * x.row(1);
  x.row(6).setZero();
  const Matrix covariance = x * x.transpose();
  EXPECT_LT(largest_difference(covariance_of_noise(covariance, 1, 4), covariance), 1e-11);
  StepStream stream(1, 1);
  const std::vector<double> found = noise(covariance, 1, testing::normals(stream, 9), 4);
  EXPECT_NEAR(found[3], found[0], 1e-14);
  EXPECT_NEAR(found[8], found[0], 1e-14);
  EXPECT_NEAR(found[5], 2 * found[1], 1e-13);
  EXPECT_EQ(found[6], 0);
}

TEST(ScoreNoise, ArmsOfVeryDifferentScaleKeepTheirOwnNoise) {
  Matrix x = contexts(4, 4, 2);
  x.row(1) *= 1e-9;
  x.row(2) *= 1e6;
  const Matrix covariance = x * x.transpose();
  const Matrix found = covariance_of_noise(covariance, 1, 4);
  for (Eigen::Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(found(i, i) / covariance(i, i), 1, 1e-10);
  }
}

// What O3M relies on: rounding elsewhere in the contexts' space changes no pivot.
TEST(ScoreNoise, DiffersByRoundingWhereTheCovarianceDoes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::size_t arms = 2 + seed % 19;
    const std::size_t d = 1 + seed % 12;
    Matrix x = contexts(arms, d, seed);
    if (seed % 3 != 0) x.rowwise().normalize();  // all variances equal
    if (seed % 2 == 0) x.row(1) = x.row(0);
    const Matrix covariance = x * x.transpose();
    const Matrix jitter = contexts(arms, arms, seed + 1000);
    const Matrix rounded = covariance + 1e-15 * (jitter + jitter.transpose());
    StepStream stream(seed, 5);
    const std::vector<double> e = testing::normals(stream, arms);
    const std::vector<double> a = noise(covariance, 1, e, d);
    const std::vector<double> b = noise(rounded, 1, e, d);
    for (std::size_t arm = 0; arm < arms; ++arm) ASSERT_NEAR(a[arm], b[arm], 1e-9) << seed;
  }
}

TEST(ScoreNoise, NoVarianceIsNoNoise) {
  EXPECT_EQ(noise(Matrix::Zero(3, 3), 1, {1, 2, 3}, 3), std::vector<double>(3));
}

}  // namespace
}  // namespace sotto::apps
