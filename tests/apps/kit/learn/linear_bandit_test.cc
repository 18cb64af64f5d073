#include "apps/kit/learn/linear_bandit.h"

#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

LinearBanditOptions options_of(LinearAlgorithm algorithm, std::size_t d, std::size_t arms) {
  return LinearBanditOptions{.algorithm = algorithm, .dimension = d, .arms = arms};
}

std::span<const double> row(const std::vector<double>& rows, std::size_t arm, std::size_t d) {
  return std::span(rows).subspan(arm * d, d);
}

// The textbook algorithm, which keeps A as a whole matrix and inverts it in each step.
class Textbook {
 public:
  explicit Textbook(const LinearBanditOptions& options) : options_(options), sums_(options.dimension, options.lambda) {}

  void update(const double* x, double reward) { sums_.add(row(x), reward); }
  double mean(const double* x) const { return sums_.mean(row(x)); }
  double width(const double* x) const { return sums_.width(row(x)); }
  Eigen::VectorXd theta() const { return sums_.weights(); }
  // Draws from the normal distribution with mean theta and covariance v^2 A^-1.
  Eigen::VectorXd sample(StepStream& stream) const {
    return theta() + options_.v * sums_.spread(testing::normals(stream, options_.dimension));
  }

 private:
  std::span<const double> row(const double* x) const { return {x, options_.dimension}; }

  LinearBanditOptions options_;
  RidgeSums sums_;
};

TEST(LinearBandit, FollowsTwoStepsByHand) {
  LinearBandit bandit(options_of(LinearAlgorithm::ucb, 1, 2));
  const std::vector<double> contexts = {1, 2};
  EXPECT_EQ(bandit.select(0, contexts), 1u);
  EXPECT_DOUBLE_EQ(bandit.scores()[0], 0.5);
  EXPECT_DOUBLE_EQ(bandit.scores()[1], 1);
  bandit.update(row(contexts, 1, 1), -3);  // A = 5, b = -6
  EXPECT_DOUBLE_EQ(bandit.theta()[0], -1.2);
  EXPECT_DOUBLE_EQ(bandit.inverse()[0], 0.2);
  EXPECT_EQ(bandit.select(1, contexts), 0u);
  EXPECT_DOUBLE_EQ(bandit.scores()[0], -1.2 + 0.5 * std::sqrt(0.2));
  EXPECT_DOUBLE_EQ(bandit.scores()[1], -2.4 + 0.5 * std::sqrt(0.8));
  EXPECT_EQ(bandit.updates(), 1u);
}

TEST(LinearBandit, UcbScoresAsTheTextbook) {
  for (const std::size_t d : {1u, 3u, 8u, 17u}) {
    constexpr std::size_t arms = 6;
    auto options = options_of(LinearAlgorithm::ucb, d, arms);
    options.lambda = 0.3;
    options.beta = 1.5;
    options.refresh_every = 50;
    LinearBandit bandit(options);
    Textbook textbook(options);
    StepStream stream(d, 0);
    for (std::uint64_t t = 0; t < 300; ++t) {
      const std::vector<double> contexts = testing::directions(stream, arms, d);
      const std::size_t arm = bandit.select(t, contexts);
      for (std::size_t k = 0; k < arms; ++k) {
        const double* x = contexts.data() + k * d;
        ASSERT_NEAR(bandit.scores()[k], textbook.mean(x) + 1.5 * textbook.width(x), 1e-10);
        EXPECT_LE(bandit.scores()[k], bandit.scores()[arm] + 1e-9);
      }
      const double reward = testing::normals(stream, 1).front();
      bandit.update(row(contexts, arm, d), reward);
      textbook.update(contexts.data() + arm * d, reward);
    }
  }
}

TEST(LinearBandit, LearnsTheContextThatItIsGiven) {
  constexpr std::size_t d = 5;
  StepStream stream(9, 9);
  LinearBandit one(options_of(LinearAlgorithm::ucb, d, 3));
  LinearBandit other(options_of(LinearAlgorithm::ucb, d, 3));
  for (std::uint64_t t = 0; t < 20; ++t) {
    std::vector<double> contexts = testing::directions(stream, 3, d);
    const std::size_t arm = one.select(t, contexts);
    contexts[arm * d] += 1;
    one.update(row(contexts, arm, d), 1);
    other.update(row(contexts, arm, d), 1);
  }
  for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(one.theta()[i], other.theta()[i], 1e-13);
}

TEST(LinearBandit, TiesAreBrokenByTheStreamOfTheStepAlone) {
  constexpr std::size_t arms = 4;
  auto options = options_of(LinearAlgorithm::ucb, 2, arms);
  options.stream_seed = 77;
  const std::vector<double> contexts = {1, 0, 0, 1, 0.6, 0.8, 0.1, 0};
  LinearBandit busy(options);
  for (std::uint64_t t = 0; t < 100; ++t) {
    LinearBandit fresh(options);
    const std::size_t expected = StepStream(77, t).below(3);
    EXPECT_EQ(fresh.select(t, contexts), expected);
    EXPECT_EQ(busy.select(t, contexts), expected);
    (void)busy.select(1000 + t, contexts);
  }
}

TEST(LinearBandit, ScoresWithinTheToleranceAreTied) {
  auto options = options_of(LinearAlgorithm::ucb, 1, 2);
  options.tie_tolerance = 1e-6;
  LinearBandit bandit(options);
  std::size_t first = 0;
  for (std::uint64_t t = 0; t < 100; ++t) {
    first += bandit.select(t, std::vector<double>{1, 1 + 1e-6}) == 0 ? 1 : 0;
    EXPECT_EQ(bandit.select(t, std::vector<double>{1, 1 + 3e-6}), 1u);
  }
  EXPECT_GT(first, 20u);
  EXPECT_LT(first, 80u);
}

TEST(LinearBandit, TiesAreUniformStatistical) {
  constexpr std::size_t arms = 5;
  constexpr double steps = 20'000;
  for (const auto algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    LinearBandit bandit(options_of(algorithm, 3, arms));
    std::vector<double> contexts;
    for (std::size_t arm = 0; arm < arms; ++arm) contexts.insert(contexts.end(), {0.1, 0.2, 0.3});
    std::array<double, arms> counts{};
    for (std::uint64_t t = 0; t < static_cast<std::uint64_t>(steps); ++t) counts.at(bandit.select(t, contexts)) += 1;
    EXPECT_LT(testing::chi_square(counts, steps / arms), 25);  // a uniform sample exceeds 25 with probability 5e-5
  }
}

struct Learnt {
  Learnt(std::size_t d, std::size_t arms) : options(options_of(LinearAlgorithm::ts, d, arms)) {
    options.v = 0.3;
    StepStream stream(d, arms);
    contexts = testing::directions(stream, arms, d);
    if (arms > 2) std::copy_n(contexts.begin(), d, contexts.begin() + static_cast<long>(2 * d));
    bandit = std::make_unique<LinearBandit>(options);
    textbook = std::make_unique<Textbook>(options);
    for (int t = 0; t < 12; ++t) {
      const std::vector<double> x = testing::directions(stream, 1, d);
      const double reward = testing::normals(stream, 1).front();
      bandit->update(x, reward);
      textbook->update(x.data(), reward);
    }
  }
  LinearBanditOptions options;
  std::vector<double> contexts;
  std::unique_ptr<LinearBandit> bandit;
  std::unique_ptr<Textbook> textbook;
};

TEST(LinearBandit, TsScoresAreNormalStatistical) {
  constexpr std::size_t draws = 20'000;
  for (const auto& [d, arms] : {std::pair<std::size_t, std::size_t>{4, 3}, {3, 8}, {12, 5}}) {
    Learnt model(d, arms);
    std::vector<std::vector<double>> scores(arms);
    for (std::uint64_t t = 0; t < draws; ++t) {
      (void)model.bandit->select(t, model.contexts);
      for (std::size_t k = 0; k < arms; ++k) scores[k].push_back(model.bandit->scores()[k]);
    }
    for (std::size_t k = 0; k < arms; ++k) {
      const double* x = model.contexts.data() + k * d;
      const double mean = model.textbook->mean(x);
      const double deviation = model.options.v * model.textbook->width(x);
      std::sort(scores[k].begin(), scores[k].end());
      double distance = 0;  // Kolmogorov-Smirnov distance
      for (std::size_t i = 0; i < draws; ++i) {
        const double z = (scores[k][i] - mean) / deviation;
        const double cdf = 0.5 * std::erfc(-z / std::sqrt(2.0));
        distance = std::max({distance, cdf - static_cast<double>(i) / draws, static_cast<double>(i + 1) / draws - cdf});
      }
      EXPECT_LT(distance * std::sqrt(draws), 2.3) << "arm " << k;  // probability 5e-5
    }
  }
}

// Checks the joint distribution of scores. The product of any two scores has the right expectation. Each arm is pulled
// as often as by an algorithm that samples theta itself, in d dimensions and from another stream of noise.
TEST(LinearBandit, TsAgreesWithSamplingThetaStatistical) {
  constexpr std::size_t draws = 20'000;
  for (const auto& [d, arms] : {std::pair<std::size_t, std::size_t>{4, 3}, {3, 8}, {12, 5}}) {
    Learnt model(d, arms);
    const auto size = static_cast<Eigen::Index>(arms);
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> x(
        model.contexts.data(), size, static_cast<Eigen::Index>(d));
    const Eigen::VectorXd mean = x * model.textbook->theta();
    Eigen::MatrixXd found = Eigen::MatrixXd::Zero(size, size);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(size, size);
    std::vector<double> pulls(arms);
    std::vector<double> expected_pulls(arms);
    StepStream stream(1234, 0);
    for (std::uint64_t t = 0; t < draws; ++t) {
      pulls[model.bandit->select(t, model.contexts)] += 1;
      const Eigen::VectorXd scores = Eigen::Map<const Eigen::VectorXd>(model.bandit->scores().data(), size);
      found += (scores - mean) * (scores - mean).transpose();
      const Eigen::VectorXd sampled = x * model.textbook->sample(stream);
      expected += (sampled - mean) * (sampled - mean).transpose();
      Eigen::Index best = 0;
      sampled.maxCoeff(&best);
      if (best == 0 && stream.below(2) == 1) best = 2;
      expected_pulls[static_cast<std::size_t>(best)] += 1;
    }
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index j = 0; j < size; ++j) {
        const double deviation = std::sqrt(2 * expected(i, i) * expected(j, j) / draws);
        EXPECT_NEAR(found(i, j), expected(i, j), 5 * std::sqrt(2.0) * deviation) << i << ", " << j;
      }
    }
    double chi = 0;
    for (std::size_t k = 0; k < arms; ++k) {
      const double both = pulls[k] + expected_pulls[k];
      if (both > 0) chi += (pulls[k] - expected_pulls[k]) * (pulls[k] - expected_pulls[k]) / both;
    }
    EXPECT_LT(chi, 35) << d;  // equal distributions exceed 35 with probability 1e-5 (at most 7 degrees of freedom)
  }
}

TEST(LinearBandit, TsNoiseIsOfTheStepAlone) {
  Learnt one(4, 6);
  Learnt other(4, 6);
  for (std::uint64_t t = 0; t < 50; ++t) (void)other.bandit->select(500 + t, other.contexts);
  for (const std::uint64_t step : {std::uint64_t{3}, std::uint64_t{3}, ~std::uint64_t{0}}) {
    const std::size_t arm = one.bandit->select(step, one.contexts);
    EXPECT_EQ(other.bandit->select(step, other.contexts), arm);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(one.bandit->scores()[k], other.bandit->scores()[k]);
  }
}

TEST(LinearBandit, NoVIsGreedy) {
  auto options = options_of(LinearAlgorithm::ts, 2, 2);
  options.v = 0;
  LinearBandit bandit(options);
  bandit.update(std::vector<double>{1, 0}, 1);
  EXPECT_EQ(bandit.select(0, std::vector<double>{1, 0, 2, 0}), 1u);
  EXPECT_DOUBLE_EQ(bandit.scores()[1], 1);
}

TEST(LinearBandit, ContextsOfZerosAreScoredZero) {
  for (const auto algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    LinearBandit bandit(options_of(algorithm, 2, 2));
    (void)bandit.select(0, std::vector<double>{0, 0, 0, 0});
    EXPECT_EQ(bandit.scores()[0], 0);
    EXPECT_EQ(bandit.scores()[1], 0);
    bandit.update(std::vector<double>{0, 0}, 1);
    EXPECT_EQ(bandit.theta()[0], 0);
    EXPECT_EQ(bandit.inverse()[0], 1);
  }
}

TEST(LinearBandit, RefusesBadNumbersInOptions) {
  const auto refuses = [](auto change) {
    LinearBanditOptions options = options_of(LinearAlgorithm::ts, 2, 2);
    change(options);
    EXPECT_THROW(LinearBandit bandit(options), InputError);
  };
  for (const double bad : {std::nan(""), infinity, -infinity, -1.0, -1e-300}) {
    refuses([&](auto& o) { o.lambda = bad; });
    refuses([&](auto& o) { o.beta = bad; });
    refuses([&](auto& o) { o.v = bad; });
    refuses([&](auto& o) { o.tie_tolerance = bad; });
  }
  refuses([](auto& o) { o.lambda = 0; });
  refuses([](auto& o) { o.lambda = 1e-310; });
  refuses([](auto& o) { o.dimension = 0; });
  refuses([](auto& o) { o.arms = 0; });
  refuses([](auto& o) { o.dimension = std::size_t{1} << 40; });
  refuses([](auto& o) { o.arms = std::size_t{1} << 40; });
  refuses([](auto& o) { o.refresh_every = 0; });
}

TEST(LinearBandit, RefusesBadContextsAndRewardsAndStaysAsItWas) {
  for (const auto algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    LinearBandit bandit(options_of(algorithm, 3, 2));
    const std::vector<double> good = {1, 0.5, 0, 0, 1, 0.5};
    bandit.update(row(good, 0, 3), 1);
    const std::vector<double> theta(bandit.theta().begin(), bandit.theta().end());
    const std::vector<double> inverse = bandit.inverse();
    for (const double bad : {std::nan(""), infinity, -infinity, 1e200}) {
      for (std::size_t i = 0; i < good.size(); ++i) {
        std::vector<double> contexts = good;
        contexts[i] = bad;
        EXPECT_THROW((void)bandit.select(0, contexts), InputError) << bad;
      }
      EXPECT_THROW(bandit.update(std::vector<double>{0, bad, 0}, 1), InputError);
    }
    for (const double bad : {std::nan(""), infinity, -infinity}) {
      EXPECT_THROW(bandit.update(row(good, 1, 3), bad), InputError);
    }
    EXPECT_THROW(bandit.update(std::vector<double>{1e100, 0, 0}, 1e200), InputError);
    EXPECT_THROW((void)bandit.select(0, row(good, 0, 3)), std::invalid_argument);
    EXPECT_THROW((void)bandit.select(0, {}), std::invalid_argument);
    EXPECT_THROW(bandit.update(good, 1), std::invalid_argument);
    EXPECT_EQ(std::vector<double>(bandit.theta().begin(), bandit.theta().end()), theta);
    EXPECT_EQ(bandit.inverse(), inverse);
    EXPECT_EQ(bandit.updates(), 1u);
    EXPECT_NO_THROW((void)bandit.select(1, good));
  }
}

PROPERTY(LinearBandit, DependsOnNoOrder) {
  const auto seed = draw<std::uint64_t>();
  const auto d = draw_in_range<std::size_t>(1, 20);
  const auto arms = draw_in_range<std::size_t>(1, 12);
  const auto samples = draw_in_range<std::size_t>(0, 30);
  StepStream stream(seed, 0);
  auto options = options_of(LinearAlgorithm::ucb, d, arms);
  options.refresh_every = draw_in_range<std::uint64_t>(1, 40);
  LinearBandit forwards(options);
  LinearBandit backwards(options);
  const std::vector<double> x = testing::directions(stream, samples, d);
  const std::vector<double> rewards = testing::normals(stream, samples);
  for (std::size_t i = 0; i < samples; ++i) {
    forwards.update(row(x, i, d), rewards[i]);
    backwards.update(row(x, samples - 1 - i, d), rewards[samples - 1 - i]);
  }
  const std::vector<double> contexts = testing::directions(stream, arms, d);
  std::vector<double> reversed;
  for (std::size_t arm = arms; arm-- > 0;) {
    reversed.insert(reversed.end(), contexts.begin() + static_cast<std::ptrdiff_t>(arm * d),
                    contexts.begin() + static_cast<std::ptrdiff_t>((arm + 1) * d));
  }
  const std::size_t arm = forwards.select(0, contexts);
  const std::size_t other = backwards.select(0, reversed);
  for (std::size_t k = 0; k < arms; ++k) {
    HOLDS(std::abs(forwards.scores()[k] - backwards.scores()[arms - 1 - k]) < 1e-12);
  }
  if (d > 1) HOLDS(arm == arms - 1 - other);
}

}  // namespace
}  // namespace sotto::apps
