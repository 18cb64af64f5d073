#include "apps/kit/learn/seeded.h"
#include "apps/robin/local_ucb.h"
#include "apps/robin/settings.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"
#include "tests/properties.h"

namespace sotto::apps::robin {
namespace {

TEST(Schedule, IsThatOfTheReference) {
  const RobinSettings settings = checked({});
  const auto phases = phases_of(settings);
  ASSERT_EQ(phases.size(), 12U);
  EXPECT_EQ(releases_of(settings), 6U);
  EXPECT_EQ(estimate_steps(phases[5]), 126U);  // all steps of the initialisation
  EXPECT_EQ(estimate_steps(phases[6]), 128U);  // the steps of the phase itself
  EXPECT_FALSE(phases.back().uploads);
}

PROPERTY(Schedule, DoublesUntilTheHorizon) {
  RobinSettings settings;
  settings.init_phases = draw_in_range<std::size_t>(1, 12);
  const std::uint64_t init = (std::uint64_t{2} << settings.init_phases) - 2;
  settings.horizon = draw_in_range<std::uint64_t>(init + 1, 100'000);
  settings = checked(settings);
  const auto phases = phases_of(settings);
  const auto alone = local_phases_of(settings);
  HOLDS(phases.size() == alone.size());
  std::uint64_t step = 0;
  std::size_t uploads = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const bool last = i + 1 == phases.size();
    HOLDS(phases[i].number == i + 1);
    HOLDS(phases[i].first_step == step);
    HOLDS((last ? phases[i].steps <= std::uint64_t{2} << i : phases[i].steps == std::uint64_t{2} << i));
    HOLDS(phases[i].local == (i < settings.init_phases));
    HOLDS(phases[i].uploads == (i + 1 >= settings.init_phases && !last));
    HOLDS(alone[i].local && !alone[i].uploads && alone[i].steps == phases[i].steps);
    step += phases[i].steps;
    uploads += phases[i].uploads ? 1 : 0;
  }
  HOLDS(step == settings.horizon);
  HOLDS(uploads == releases_of(settings));
  HOLDS(uploads >= 1U);
}

TEST(Schedule, TauIsThatOfTheReference) {
  RobinSettings settings = checked({});
  const auto phases = phases_of(settings);
  EXPECT_THROW((void)tau_of(settings, phases[5]), std::invalid_argument);
  settings.lambda_min = .196;
  EXPECT_DOUBLE_EQ(tau_of(settings, phases[5]), 1.5 / std::sqrt(.196 * 126));
  settings.noise_sd = .5;
  EXPECT_DOUBLE_EQ(tau_of(settings, phases[6]), .75 / std::sqrt(.196 * 128));
  settings.noise_sd = 0;
  EXPECT_GT(tau_of(settings, phases[6]), 0);
}

struct Sums {
  Eigen::MatrixXd x;
  Eigen::VectorXd rewards;
  std::vector<double> triangle, moments;
};

Sums random_sums(std::size_t dimension, std::size_t samples, std::uint64_t seed) {
  SeededDraws draws(seed);
  const auto d = static_cast<Eigen::Index>(dimension);
  Sums sums{Eigen::MatrixXd(static_cast<Eigen::Index>(samples), d),
            Eigen::VectorXd(static_cast<Eigen::Index>(samples)),
            {},
            {}};
  for (Eigen::Index i = 0; i < sums.x.rows(); ++i) {
    for (Eigen::Index j = 0; j < d; ++j) sums.x(i, j) = 2 * draws.unit() - 1;
    sums.rewards[i] = 2 * draws.unit() - 1;
  }
  const Eigen::MatrixXd gram = product(sums.x.transpose(), sums.x);
  const Eigen::VectorXd moments = product(sums.x.transpose(), sums.rewards);
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) sums.triangle.push_back(gram(i, j));
    sums.moments.push_back(moments[i]);
  }
  return sums;
}

// The distance from the least-norm solution of the samples themselves, divided by 1 plus the norm of that solution.
double off_least_norm(const Sums& sums) {
  std::vector<double> out(sums.moments.size());
  LeastSquares solver(out.size());
  solver.solve(sums.triangle, sums.moments, out);
  const Eigen::VectorXd expected = least_norm_solution(sums.x, sums.rewards);
  const Eigen::Map<const Eigen::VectorXd> ours(out.data(), expected.size());
  return (ours - expected).norm() / (1 + expected.norm());
}

PROPERTY(LeastSquares, IsTheLeastNormSolution) {
  const auto seed = draw<std::uint64_t>();
  const auto d = draw_in_range<std::size_t>(1, 9);
  const auto n = draw_in_range<std::size_t>(1, 40);
  const Sums sums = random_sums(d, n, seed);
  // The condition number of the sums is the square of the samples' condition number, so the test leaves out badly
  // conditioned samples.
  const Eigen::VectorXd values = singular_values(sums.x);
  assume(values.minCoeff() > 1e-3 * values.maxCoeff());
  HOLDS(off_least_norm(sums) <= 1e-6);
}

// The first four features of the four samples are nearly dependent, so rounding makes the last pivot large.
TEST(LeastSquares, IsTheLeastNormSolutionWhereAnEarlierPivotIsSmall) {
  EXPECT_LT(off_least_norm(random_sums(5, 4, 13350906386)), 1e-6);
}

TEST(LeastSquares, OfNothingIsNothing) {
  LeastSquares solver(2);
  std::vector<double> out{5, 5};
  solver.solve(std::vector<double>{0, 0, 0}, std::vector<double>{0, 0}, out);
  EXPECT_EQ(out, (std::vector<double>{0, 0}));
  solver.solve(std::vector<double>{4, 0, 0}, std::vector<double>{2, 0}, out);
  EXPECT_DOUBLE_EQ(out[0], .5);
  EXPECT_EQ(out[1], 0);
}

PROPERTY(LeastSquares, InvertsWithARidge) {
  const auto seed = draw<std::uint64_t>();
  const auto d = draw_in_range<std::size_t>(1, 9);
  const auto n = draw_in_range<std::size_t>(1, 40);
  const Sums sums = random_sums(d, n, seed);
  std::vector<double> out(d * d);
  LeastSquares solver(d);
  solver.invert(sums.triangle, .5, out);
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::MatrixXd gram = product(sums.x.transpose(), sums.x) + .5 * Eigen::MatrixXd::Identity(size, size);
  const Eigen::Map<const Eigen::MatrixXd> ours(out.data(), size, size);
  HOLDS((product(gram, ours) - Eigen::MatrixXd::Identity(size, size)).norm() < 1e-11);
}

TEST(RobinSettings, ChoosesTheInitialisationOfTheReference) {
  EXPECT_EQ(chosen_init_phases(4), 6U);
  EXPECT_EQ(chosen_init_phases(8), 8U);
  EXPECT_EQ(chosen_init_phases(1), 2U);
  for (std::size_t d = 1; d < 100; ++d) {
    const std::size_t u = chosen_init_phases(d);
    EXPECT_GE((std::uint64_t{2} << u) - 2, 8 * d * d - 2);
    EXPECT_LT((std::uint64_t{2} << (u - 1)) - 2, 8 * d * d - 2);
  }
}

TEST(RobinSettings, FillsInWhatWasNotSaid) {
  const RobinSettings settings = checked({});
  EXPECT_EQ(settings.init_phases, 6U);
  EXPECT_EQ(settings.reward_bound, 7);
  EXPECT_EQ(settings.lambda_min, 0);
  RobinSettings said{.init_phases = 3, .reward_bound = 2};
  EXPECT_EQ(checked(said).init_phases, 3U);
  EXPECT_EQ(checked(said).reward_bound, 2);
}

TEST(RobinSettings, RefusesWhatCannotBeAndNamesTheFlag) {
  using Change = std::function<void(RobinSettings&)>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<const char*, Change>> changes = {
      {"--clients", [](RobinSettings& s) { s.clients = 1; }},
      {"--clients", [](RobinSettings& s) { s.clients = most_robin_clients + 1; }},
      {"--dim", [](RobinSettings& s) { s.dimension = 0; }},
      {"--dim", [](RobinSettings& s) { s.dimension = most_robin_dimension + 1; }},
      {"--arms", [](RobinSettings& s) { s.arms = 0; }},
      {"--horizon", [](RobinSettings& s) { s.horizon = 1; }},
      {"--horizon", [](RobinSettings& s) { s.horizon = 126; }},
      {"--init-phases", [](RobinSettings& s) { s.init_phases = 63; }},
      {"--eps", [](RobinSettings& s) { s.epsilon = 0; }},
      {"--eps", [](RobinSettings& s) { s.epsilon = -1; }},
      {"--eps", [&](RobinSettings& s) { s.epsilon = nan; }},
      {"--delta", [](RobinSettings& s) { s.delta = 0; }},
      {"--delta", [](RobinSettings& s) { s.delta = 1; }},
      {"--noise", [](RobinSettings& s) { s.composition = Composition::nested; }},
      {"--noise-sd", [&](RobinSettings& s) { s.noise_sd = nan; }},
      {"--margin", [](RobinSettings& s) { s.margin = -.1; }},
      {"--diversity", [](RobinSettings& s) { s.diversity = 0; }},
      {"--diversity", [](RobinSettings& s) { s.diversity = 1.1; }},
      {"--lambda-min", [](RobinSettings& s) { s.lambda_min = .26; }},
      {"--tau-factor", [](RobinSettings& s) { s.tau_factor = 0; }},
      {"--alpha", [](RobinSettings& s) { s.alpha = -1; }},
      {"--ridge", [](RobinSettings& s) { s.ridge = 0; }},
      {"--bound", [](RobinSettings& s) { s.bound = HUGE_VAL; }},
      {"--reward-bound", [](RobinSettings& s) { s.reward_bound = -1; }},
      {"--most-misfire", [](RobinSettings& s) { s.most_misfire = 2; }},
  };
  for (const auto& [flag, change] : changes) {
    RobinSettings settings;
    change(settings);
    const std::string error = error_of<InputError>([&] { (void)checked(settings); });
    EXPECT_THAT(error, AllOf(StartsWith(std::string(flag) + ": "), Not(HasSubstr("\n"))));
  }
}

TEST(RobinSettings, AcceptsItsOwnAnswer) {
  const RobinSettings once = checked({});
  const RobinSettings twice = checked(once);
  EXPECT_EQ(twice.init_phases, once.init_phases);
  EXPECT_EQ(twice.reward_bound, once.reward_bound);
}

}  // namespace
}  // namespace sotto::apps::robin
