#include "apps/kit/learn/instance.h"
#include "apps/kit/learn/linear_bandit.h"
#include "apps/kit/learn/mean.h"
#include "apps/kit/learn/seeded.h"
#include "apps/kit/learn/tasks.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

TEST(MeanAndSd, IsOfTheSample) {
  EXPECT_DOUBLE_EQ(mean_and_sd({1, 2, 6}).mean, 3);
  EXPECT_DOUBLE_EQ(mean_and_sd({1, 2, 6}).sd, std::sqrt(7));
  EXPECT_EQ(mean_and_sd({4}).sd, 0);
  EXPECT_THROW((void)mean_and_sd({}), std::invalid_argument);
}

TEST(StepStream, IsTheStreamOfAKeyOfSeedAndStep) {
  constexpr std::uint64_t seed = 0x0807060504030201;
  constexpr std::uint64_t step = 0x100f0e0d0c0b0a09;
  std::array<std::byte, 16> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i + 1);
  Prg expected(Seed::from_bytes(key));
  StepStream stream(seed, step);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(stream.next(), expected.next());
}

TEST(StepStream, OtherSeedsAndStepsGiveOtherWords) {
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t step = 0; step < 20; ++step) words.insert(StepStream(seed, step).next());
  }
  EXPECT_EQ(words.size(), 400u);
}

TEST(StepStream, BelowIsUniformStatistical) {
  StepStream stream(1, 2);
  constexpr std::uint64_t n = 7;
  constexpr double draws = 70'000;
  std::array<double, n> counts{};
  for (int i = 0; i < static_cast<int>(draws); ++i) counts.at(stream.below(n)) += 1;
  EXPECT_LT(testing::chi_square(counts, draws / n), 30);  // a uniform sample exceeds 30 with probability 4e-5
  EXPECT_EQ(stream.below(1), 0u);
  EXPECT_THROW((void)stream.below(0), std::invalid_argument);
}

TEST(Tasks, AllAreDoneOnceOnAnyNumberOfThreads) {
  for (const std::size_t threads : {1U, 2U, 7U}) {
    for (const std::size_t count : {0U, 1U, 5U, 100U}) {
      std::vector<std::atomic<int>> done(count);
      run_tasks(count, threads, not_interrupted, [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
  EXPECT_GE(core_count(), 1u);
}

TEST(Tasks, TheFirstFaultIsThrownAndEndsTheRest) {
  std::atomic<int> done{0};
  EXPECT_THROW(run_tasks(1000, 1, not_interrupted,
                         [&](std::size_t i) {
                           if (i == 3) throw InputError("three");
                           ++done;
                         }),
               InputError);
  EXPECT_EQ(done, 3);
  EXPECT_THROW(run_tasks(8, 4, not_interrupted, [](std::size_t) { throw InputError("all"); }), InputError);
}

TEST(Tasks, AnInterruptEndsThem) {
  std::atomic<bool> stop{false};
  std::atomic<int> done{0};
  EXPECT_THROW(run_tasks(1000, 1, stop,
                         [&](std::size_t) {
                           if (++done == 5) stop = true;
                         }),
               Interrupted);
  EXPECT_EQ(done, 5);
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix contexts(std::size_t arms, std::size_t d, std::uint64_t seed) {
  StepStream stream(seed, arms);
  const std::vector<double> values = testing::directions(stream, arms, d);
  return Eigen::Map<const Matrix>(values.data(), static_cast<Eigen::Index>(arms), static_cast<Eigen::Index>(d));
}

std::vector<double> noise(const Matrix& covariance, double v, const std::vector<double>& e, std::size_t rank) {
  const auto arms = static_cast<std::size_t>(covariance.rows());
  ScoreNoise of(arms);
  std::vector<double> scores(arms);
  of.add(scores, covariance.data(), arms, v, e, rank);
  return scores;
}

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

double largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(ScoreNoise, HasTheCovarianceThatIsAskedFor) {
  for (const std::size_t arms : {1u, 2u, 7u, 20u}) {
    for (const std::size_t d : {1u, 2u, 5u, 40u}) {
      const Matrix x = contexts(arms, d, d);
      const Matrix covariance = x * x.transpose();
      EXPECT_LT(largest_difference(covariance_of_noise(covariance, 0.5, d), 0.25 * covariance), 1e-11)
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
  for (Eigen::Index i = 0; i < 4; ++i) EXPECT_NEAR(found(i, i) / covariance(i, i), 1, 1e-10);
}

// Different rounding errors in the covariance must not change the choice of any pivot. Otherwise bandits on masked
// contexts (apps/o3m) would draw other noise than bandits on plain contexts.
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

TEST(ScoreNoise, NoVarianceIsNoNoise) { EXPECT_EQ(noise(Matrix::Zero(3, 3), 1, {1, 2, 3}, 3), std::vector<double>(3)); }

double norm(std::span<const double> row) {
  return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
}

PROPERTY(LinearInstance, GivesUnitVectorsThatDependOnSeedUserAndStepAlone) {
  LinearInstanceOptions options{.dimension = draw_in_range<std::size_t>(1, 12),
                                .arms = draw_in_range<std::size_t>(1, 5),
                                .noise_sd = .5,
                                .seed = draw<std::uint64_t>()};
  const auto user = draw_in_range<std::uint64_t>(0, std::uint64_t{1} << 24);
  const auto step = draw_in_range<std::uint64_t>(0, std::uint64_t{1} << 38);
  const LinearInstance instance(options);
  HOLDS(std::abs(norm(instance.theta()) - 1) < 1e-12);
  std::vector<double> contexts(options.arms * options.dimension), again(contexts.size());
  instance.contexts(user, step, contexts);
  for (std::size_t arm = 0; arm < options.arms; ++arm) {
    const auto row = std::span(contexts).subspan(arm * options.dimension, options.dimension);
    HOLDS(std::abs(norm(row) - 1) < 1e-12);
    HOLDS(std::abs(instance.mean(row)) <= 1 + 1e-12);
  }
  const LinearInstance twin(options);
  twin.contexts(user ^ 1, step, again);  // earlier draws change nothing
  twin.contexts(user, step, again);
  HOLDS(contexts == again);
  HOLDS(instance.noise(user, step) == twin.noise(user, step));
}

TEST(LinearInstance, SeedsUsersAndStepsDiffer) {
  const LinearInstance one({3, 2, 1, 7});
  const LinearInstance other({3, 2, 1, 8});
  std::vector<double> a(6), b(6);
  one.contexts(0, 0, a);
  for (const auto& [user, step] : {std::pair{0, 1}, {1, 0}, {1, 1}}) {
    one.contexts(static_cast<std::uint64_t>(user), static_cast<std::uint64_t>(step), b);
    EXPECT_NE(a, b);
    EXPECT_NE(one.noise(0, 0), one.noise(static_cast<std::uint64_t>(user), static_cast<std::uint64_t>(step)));
  }
  other.contexts(0, 0, b);
  EXPECT_NE(a, b);
  EXPECT_NE(one.theta()[0], other.theta()[0]);
}

// The contexts must be uniform on the unit sphere in d dimensions. Each coordinate then has mean 0, variance 1/d and
// fourth moment 3 / (d (d + 2)). Coordinates and arms are uncorrelated.
TEST(LinearInstance, HasTheMomentsOfTheSphereStatistical) {
  constexpr std::size_t d = 5, arms = 3, steps = 40'000;
  const LinearInstance instance({d, arms, .25, 11});
  std::vector<double> contexts(arms * d);
  std::vector<double> mean(arms * d), square(arms * d), fourth(arms * d);
  double noise = 0, noise_square = 0, neighbours = 0, between_arms = 0, means = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    instance.contexts(0, t, contexts);
    for (std::size_t i = 0; i < arms * d; ++i) {
      mean[i] += contexts[i] / steps;
      square[i] += contexts[i] * contexts[i] / steps;
      fourth[i] += std::pow(contexts[i], 4) / steps;
    }
    neighbours += contexts[0] * contexts[1] / steps;
    between_arms += contexts[0] * contexts[d] / steps;
    const double e = instance.noise(0, t);
    noise += e / steps;
    noise_square += e * e / steps;
    means += std::pow(instance.mean(std::span(contexts).first(d)), 2) / steps;
  }
  // The allowed error of each moment is five standard errors.
  for (std::size_t i = 0; i < arms * d; ++i) {
    EXPECT_NEAR(mean[i], 0, 5 * std::sqrt(.2 / steps));
    EXPECT_NEAR(square[i], .2, 5 * std::sqrt((3. / 35 - .04) / steps));
    EXPECT_NEAR(fourth[i], 3. / 35, 5 * .2 / std::sqrt(steps));
  }
  EXPECT_NEAR(neighbours, 0, 5 * std::sqrt(1. / 35 / steps));
  EXPECT_NEAR(between_arms, 0, 5 * std::sqrt(.04 / steps));
  EXPECT_NEAR(noise, 0, 5 * .25 / std::sqrt(steps));
  EXPECT_NEAR(noise_square, .0625, 5 * .0625 * std::sqrt(2. / steps));
  EXPECT_NEAR(means, .2, 5 * std::sqrt((3. / 35 - .04) / steps));  // theta has norm 1
}

TEST(LinearInstance, RefusesWhatIsNoInstance) {
  EXPECT_THROW(LinearInstance({0, 2, 0, 1}), InputError);
  EXPECT_THROW(LinearInstance({2, 0, 0, 1}), InputError);
  for (const double noise : {-1., std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(LinearInstance({2, 2, noise, 1}), InputError);
  }
  const LinearInstance instance({2, 2, 0, 1});
  std::vector<double> wrong(3), right(4);
  EXPECT_THROW(instance.contexts(0, 0, wrong), std::invalid_argument);
  EXPECT_THROW(instance.contexts(1 << 24, 0, right), std::invalid_argument);
  EXPECT_THROW((void)instance.noise(0, std::uint64_t{1} << 38), std::invalid_argument);
  EXPECT_THROW((void)instance.mean(wrong), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
