#include "apps/bandit/model/batch/solve.h"

#include <fmt/format.h>

#include <Eigen/QR>

#include "apps/bandit/model/batch/noised_sums.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"

namespace sotto::apps::bandit::testing {
namespace {

enum class Spectrum : std::uint8_t { isotropic, never_pulled, one_line, over_a_million };
constexpr std::size_t spectra = 4;

struct SolveCase {
  std::size_t parties;
  std::uint64_t events;
  std::size_t features;
};

BatchPlan plan_of(const SolveCase& c) {
  BanditParameters p;
  p.columns.assign(c.parties, 0);
  for (std::size_t i = 0; i < c.features; ++i) ++p.columns[i % c.parties];
  p.arms = spectra;
  p.steps = c.events;
  return plan_batches(std::move(p), 256);
}

Eigen::VectorXd added(Spectrum spectrum, std::uint64_t events, std::size_t features) {
  const auto d = static_cast<Eigen::Index>(features);
  const auto T = static_cast<double>(events);
  Eigen::VectorXd values = Eigen::VectorXd::Zero(d);
  for (Eigen::Index i = 0; i < d; ++i) {
    if (spectrum == Spectrum::isotropic) values[i] = T / static_cast<double>(d);
    if (spectrum == Spectrum::over_a_million) {
      values[i] = T / static_cast<double>(d) * std::pow(10., -6. * static_cast<double>(i) / static_cast<double>(d - 1));
    }
  }
  if (spectrum == Spectrum::one_line) values[0] = T;
  return values;
}

struct Targets {
  explicit Targets(const SolveCase& c) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    const auto d = static_cast<Eigen::Index>(c.features);
    for (std::size_t arm = 0; arm < spectra; ++arm) {
      const Eigen::MatrixXd any = Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(random); });
      const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(any).householderQ();
      const Eigen::VectorXd values = added(static_cast<Spectrum>(arm), c.events, c.features);
      A.push_back(Eigen::MatrixXd::Identity(d, d) + Q * values.asDiagonal() * Q.transpose());
      Eigen::VectorXd u = Eigen::VectorXd::NullaryExpr(d, [&] { return normal(random); });
      u *= .5 * std::sqrt(static_cast<double>(c.events)) / u.norm();
      b.push_back(Q * values.cwiseSqrt().asDiagonal() * Q.transpose() * u);
    }
  }
  [[nodiscard]] Numbers grams(unsigned bits) const {
    Numbers words;
    for (const Eigen::MatrixXd& matrix : A) {
      for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        for (Eigen::Index j = i; j < matrix.rows(); ++j) words.push_back(sotto::encode(matrix(i, j), bits));
      }
    }
    return words;
  }
  [[nodiscard]] Numbers targets(unsigned bits) const {
    Numbers words;
    for (const Eigen::VectorXd& vector : b) {
      for (const double v : vector) words.push_back(sotto::encode(v, bits));
    }
    return words;
  }

  std::vector<Eigen::MatrixXd> A;
  std::vector<Eigen::VectorXd> b;
};

Sums sums_of(const Party& party, const BatchPlan& plan, const Numbers& gram, const Numbers& targets) {
  const std::size_t d = plan.parameters.features();
  const ModelBits bits = plan.model_bits();
  return {Masked::constant(party, Shape{plan.parameters.arms, protocols::triangle(d)}, bits.gram, gram).shares(party),
          Masked::constant(party, Shape{plan.parameters.arms, d}, bits.targets, targets).shares(party)};
}

Task<OpenedModel> solved_and_opened(Party& party, const BatchPlan& plan, const Numbers& gram, const Numbers& targets) {
  const BatchModel model = co_await solve(party, plan, sums_of(party, plan, gram, targets));
  co_return co_await opened(party, model);
}

class Solving : public ::testing::TestWithParam<SolveCase> {};

TEST_P(Solving, FindsInverseAndWeightsWhateverTheContextsAre) {
  const SolveCase& c = GetParam();
  const BatchPlan plan = plan_of(c);
  const Targets exact(c);
  const ModelBits bits = plan.model_bits();
  const Numbers gram = exact.grams(bits.gram);
  const Numbers targets = exact.targets(bits.targets);
  const auto program = [&](Party& party) { return solved_and_opened(party, plan, gram, targets); };
  const auto run = protocols::simulate(plan.parameters.topology(), program);
  const OpenedModel& model = run.nodes[0];
  EXPECT_EQ(model.gram, gram) << "the sums stay as they were";
  for (std::size_t arm = 0; arm < spectra; ++arm) {
    SCOPED_TRACE(arm);
    const Eigen::VectorXd M =
        eigenvalues_of(exact.A[arm], matrix_of(model.inverse, arm, c.features, plan.inverse_bits));
    EXPECT_LE((M.array() - 1).abs().maxCoeff(), .01);
    const Eigen::VectorXd w = vector_of(model.weights, arm, c.features, plan.weight_bits);
    const Eigen::VectorXd ridge = solved(exact.A[arm], exact.b[arm]);
    EXPECT_LE((w - ridge).norm(), 1e-3 * std::max(1., ridge.norm()));
  }
  const Ledger planned = protocols::plan(plan.parameters.topology(), program);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().dealt, run.dealt);
  EXPECT_EQ(run.rounds, solve_rounds(plan) + 1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Solving,
                         ::testing::Values(SolveCase{2, 10'000, 20}, SolveCase{3, 1'000'000, 20},
                                           SolveCase{2, 10'000'000, 20}, SolveCase{2, 2'000, 50}, SolveCase{5, 1, 5}),
                         [](const auto& info) {
                           return fmt::format("{}Parties{}Events{}Features", info.param.parties, info.param.events,
                                              info.param.features);
                         });

class KnownNoise final : public SiteOf<CountNoise> {
 public:
  explicit KnownNoise(std::size_t holder) : holder_(holder) {}
  void draw_coins(std::span<std::uint64_t>) override {}
  void draw_noise(std::span<std::uint64_t>) override {}
  void draw_gram_noise(std::size_t features, unsigned bits, std::span<std::uint64_t> out) override {
    EXPECT_EQ(features, 4u);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (holder_ + 1) * (i + 1) << bits;
  }
  void draw_target_noise(unsigned bits, std::span<std::uint64_t> out) override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = ~((holder_ + 1) * i << bits) + 1;
  }

 private:
  std::size_t holder_;
};

Task<OpenedModel> noised_and_opened(Party& party, const BatchPlan& plan, const Numbers& gram, const Numbers& targets,
                                    BanditSite& site) {
  Sums sums = co_await noised(party, plan, sums_of(party, plan, gram, targets), site);
  auto [A, b] = co_await when_all(protocols::open(party, std::move(sums.gram), "A"),
                                  protocols::open(party, std::move(sums.targets), "b"));
  OpenedModel result{words_of(A), words_of(b), {}, {}};
  co_return result;
}

TEST(NoisedSums, AreTheSumsWithTheNoiseOfAllHoldersAndTheRidge) {
  BanditParameters p;
  p.columns = {1, 1, 2};
  p.owners = 1;
  p.arms = 2;
  p.steps = 5000;
  p.binary_rewards = false;
  p.learning_noise = {3, 3, 3};
  const BatchPlan plan = plan_batches(p, 64);
  const ModelBits bits = plan.model_bits();
  ASSERT_GT(bits.gram, 16u);
  std::mt19937_64 random(4);
  Numbers gram;
  Numbers targets;
  for (int i = 0; i < 20; ++i) gram.push_back((random() >> (64 - 12 - bits.gram)));
  for (int i = 0; i < 8; ++i) targets.push_back((random() >> (64 - 9 - bits.targets)));
  std::vector<std::unique_ptr<KnownNoise>> sites;
  const auto run = protocols::simulate(plan.parameters.topology(), [&](Party& party) {
    sites.push_back(std::make_unique<KnownNoise>(sites.size()));
    return noised_and_opened(party, plan, gram, targets, *sites.back());
  });
  const double ridge = learning_ridge(p);
  EXPECT_EQ(ridge, 1 + std::ceil(9 * (std::sqrt(8.) + 5.3)));
  for (std::size_t i = 0; i < gram.size(); ++i) {
    const bool diagonal = i % 10 == 0 || i % 10 == 4 || i % 10 == 7 || i % 10 == 9;
    const double expected = decode(gram[i], bits.gram) + 6. * static_cast<double>(i + 1) + (diagonal ? ridge - 1 : 0);
    EXPECT_NEAR(decode(run.nodes[0].gram[i], bits.gram), expected, std::ldexp(1., -16)) << i;
    EXPECT_EQ(run.nodes[0].gram[i] % (std::uint64_t{1} << (bits.gram - 16)), 0u) << "lower bits would tell";
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    EXPECT_NEAR(decode(run.nodes[0].targets[i], bits.targets),
                decode(targets[i], bits.targets) - 6. * static_cast<double>(i), std::ldexp(1., -16));
  }
  EXPECT_EQ(run.rounds, 2u) << "one, and the test's own";
}

TEST(NoisedSums, HaveTheDeviationOfTheGaussianMechanism) {
  EXPECT_DOUBLE_EQ(sum_move(1) * sum_move(1), 4.5);
  // Another program computed 9.6, for epsilon = 1, delta = 1e-6 and rows of norm at most 1.
  EXPECT_NEAR(learning_deviation(1, 1e-6, 1, 1, 4), 9.6, .05);
  EXPECT_NEAR(learning_deviation(1, 1e-6, 3, 1, 4), 3 * 9.6, .2);
  EXPECT_GT(learning_deviation(.5, 1e-6, 1, 1, 4), 1.9 * 9.6);
  EXPECT_THROW((void)learning_deviation(.001, 1e-6, 1'000'000, 1, 4), InputError);
}

TEST(NoisedSums, MoveByNoMoreThanIsPromised) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double R : {.4, 1., 2.}) {
    double most = 0;
    for (int i = 0; i < 200'000; ++i) {
      const double a = R * (i % 2 == 0 ? 1 : std::abs(uniform(random)));
      const double b = R * (i % 2 == 0 ? 1 : std::abs(uniform(random)));
      const double dot = a * b * uniform(random);
      most = std::max(most, std::pow(a, 4) + std::pow(b, 4) - 2 * dot * dot + a * a + b * b - 2 * dot);
    }
    EXPECT_LE(most, sum_move(R) * sum_move(R));
    if (R >= 1) {
      EXPECT_GE(most, .99 * sum_move(R) * sum_move(R));
    }
  }
}

}  // namespace
}  // namespace sotto::apps::bandit::testing
