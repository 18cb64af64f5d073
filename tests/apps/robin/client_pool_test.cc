#include "apps/robin/client_pool.h"
#include "apps/kit/learn/linear_bandit.h"
#include "apps/robin/lanes/lane_kernels.h"
#include "apps/robin/local_ucb.h"
#include "tests/apps/robin/simulated.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::robin {

namespace {

RobinSettings pool_settings() {
  return RobinSettings{.clients = 300, .dimension = 3, .arms = 4, .horizon = 14 + 16 + 13, .init_phases = 3};
}

// Between two phases, the plain mean of the estimates takes the place of a release.
std::vector<PhaseReport> play_all(const RobinSettings& settings, const std::shared_ptr<const RobinInstance>& instance,
                                  const std::vector<std::size_t>& counts, std::size_t threads) {
  std::vector<ClientPool> pools;
  std::uint64_t first = 0;
  for (const std::size_t count : counts) {
    pools.emplace_back(settings, instance, first, count);
    first += count;
  }
  std::vector<PhaseReport> reports;
  std::vector<double> broadcast;
  for (const Phase& phase : phases_of(settings)) {
    PhaseReport whole;
    for (ClientPool& pool : pools) whole.append(pool.play(phase, broadcast, threads, not_interrupted));
    if (phase.uploads) {
      broadcast.assign(settings.dimension, 0);
      for (std::size_t i = 0; i < whole.estimates.size(); ++i) {
        broadcast[i % settings.dimension] += whole.estimates[i] / static_cast<double>(settings.clients);
      }
    }
    reports.push_back(std::move(whole));
  }
  return reports;
}

TEST(ClientPool, ThreadsAndPoolsChangeNothing) {
  const auto [instance, settings] = SimulatedRun(pool_settings());
  const auto one = play_all(settings, instance, {300}, 1);
  const auto threads = play_all(settings, instance, {300}, 3);
  const auto pools = play_all(settings, instance, {1, 170, 129}, 1);
  ASSERT_EQ(one.size(), 5U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].estimates, threads[i].estimates);
    EXPECT_EQ(one[i].estimates, pools[i].estimates);
    EXPECT_EQ(one[i].regret, threads[i].regret);
    EXPECT_NEAR(one[i].regret, pools[i].regret, 1e-9);
    EXPECT_NEAR(one[i].reward, pools[i].reward, 1e-9);
  }
  EXPECT_TRUE(one[0].estimates.empty());
  EXPECT_EQ(one[2].estimates.size(), 900U);
  EXPECT_EQ(one[3].estimates.size(), 900U);
  EXPECT_TRUE(one[4].estimates.empty());
}

TEST(ClientPool, GreedyPhaseIsRegressionOnTheBestArmsOfTheBroadcast) {
  const auto [instance, settings] = SimulatedRun(pool_settings());
  ClientPool pool(settings, instance, 5, 2);
  const auto phases = phases_of(settings);
  for (std::size_t i = 0; i < 3; ++i) (void)pool.play(phases[i], {}, 1, not_interrupted);
  const std::vector<double> broadcast{.3, -.5, .2};
  const PhaseReport report = pool.play(phases[3], broadcast, 1, not_interrupted);
  double regret = 0;
  double reward = 0;
  for (std::uint64_t client = 5; client < 7; ++client) {
    Eigen::MatrixXd x(16, 3);
    Eigen::VectorXd earned(16);
    const auto reader = instance->reader();
    for (std::uint64_t step = 14; step < 30; ++step) {
      reader->seek(client, step);
      const StepGroup group = reader->next();
      const std::size_t lane = step % step_lanes;
      std::size_t best = 0;
      double best_score = -9, largest = -9;
      const auto context = [&](std::size_t arm, std::size_t j) {
        return group.contexts[(arm * 3 + j) * step_lanes + lane];
      };
      for (std::size_t arm = 0; arm < 4; ++arm) {
        double score = 0;
        for (std::size_t j = 0; j < 3; ++j) score += broadcast[j] * context(arm, j);
        if (score > best_score) best = arm, best_score = score;
        largest = std::max(largest, group.means[arm * step_lanes + lane]);
      }
      const auto row = static_cast<Eigen::Index>(step - 14);
      for (std::size_t j = 0; j < 3; ++j) x(row, static_cast<Eigen::Index>(j)) = context(best, j);
      const double mean = group.means[best * step_lanes + lane];
      earned[row] = mean + group.noise[lane];
      regret += largest - mean;
      reward += earned[row];
    }
    const Eigen::VectorXd expected = least_norm_solution(x, earned);
    for (Eigen::Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(report.estimates[(client - 5) * 3 + static_cast<std::size_t>(j)], expected[j], 1e-10);
    }
  }
  EXPECT_NEAR(report.regret, regret, 1e-11);
  EXPECT_NEAR(report.reward, reward, 1e-11);
}

TEST(ClientPool, CountsClippedRewardsInBothKindsOfPhases) {
  RobinSettings settings = pool_settings();
  settings.reward_bound = .001;
  const auto instance = simulated_instance(settings);
  settings = resolved(settings, *instance);
  for (const PhaseReport& report : play_all(settings, instance, {300}, 1)) {
    EXPECT_GT(report.rewards_clipped, 0U);
    EXPECT_EQ(report.features_clipped, 0U);
  }
}

TEST(ClientPool, TellsHowManyStepsWerePlayed) {
  const auto [instance, settings] = SimulatedRun(pool_settings());
  ClientPool pool(settings, instance, 0, 300);
  std::mutex guard;
  std::uint64_t steps = 0;
  for (const Phase& phase : local_phases_of(settings)) {
    (void)pool.play(phase, {}, 2, not_interrupted, [&](std::uint64_t more) {
      const std::lock_guard lock(guard);
      steps += more;
    });
  }
  EXPECT_EQ(steps, 300 * settings.horizon);
}

TEST(ClientPool, RefusesMisuseAndStopsWhenAsked) {
  const auto [instance, settings] = SimulatedRun(pool_settings());
  EXPECT_THROW(ClientPool(settings, instance, 0, 0), std::invalid_argument);
  ClientPool pool(settings, instance, 0, 2);
  EXPECT_EQ(pool.clients(), 2U);
  const auto phases = phases_of(settings);
  const std::vector<double> estimate(3);
  EXPECT_THROW((void)pool.play(phases[1], {}, 1, not_interrupted), std::invalid_argument);
  EXPECT_THROW((void)pool.play(phases[0], estimate, 1, not_interrupted), std::invalid_argument);
  EXPECT_THROW((void)pool.play(phases[3], {}, 1, not_interrupted), std::invalid_argument);
  EXPECT_THROW((void)pool.play(phases[0], {}, 1, always_interrupted), Interrupted);
  RobinSettings other = settings;
  other.arms = 3;
  EXPECT_THROW(ClientPool(other, instance, 0, 1), std::invalid_argument);
}

struct Reference {
  explicit Reference(const RobinSettings& settings)
      : bandit(
            {.dimension = settings.dimension, .arms = settings.arms, .beta = settings.alpha, .lambda = settings.ridge}),
        contexts(settings.arms * settings.dimension) {}

  LinearBandit bandit;
  std::vector<double> contexts;
  double regret = 0;
  double reward = 0;

  void play(const RobinSettings& settings, const StepGroup& group, std::size_t lane, std::uint64_t step) {
    for (std::size_t i = 0; i < contexts.size(); ++i) contexts[i] = group.contexts[i * step_lanes + lane];
    const std::size_t arm = bandit.select(step, contexts);
    double largest = -1;
    for (std::size_t k = 0; k < settings.arms; ++k) largest = std::max(largest, group.means[k * step_lanes + lane]);
    const double mean = group.means[arm * step_lanes + lane];
    regret += largest - mean;
    reward += mean + group.noise[lane];
    bandit.update(std::span(contexts).subspan(arm * settings.dimension, settings.dimension), mean + group.noise[lane]);
  }
};

// Gives the same samples to both learners, and lets neither learner choose an arm. At the start all arms tie, and the
// two learners break ties differently.
void teach(const StepGroup& group, std::size_t d, Reference& reference, std::vector<double>& triangle,
           std::vector<double>& moments) {
  for (std::size_t lane = 0; lane < step_lanes; ++lane) {
    std::vector<double> x(d);
    for (std::size_t j = 0; j < d; ++j) x[j] = group.contexts[j * step_lanes + lane];
    const double reward = group.means[lane];
    reference.bandit.update(x, reward);
    std::size_t entry = 0;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j <= i; ++j) triangle[entry++] += x[i] * x[j];
      moments[i] += reward * x[i];
    }
  }
}

struct LearningClient {
  LearningClient(const RobinSettings& given, std::uint64_t client)
      : run(given),
        reader(reader_at(*run.instance, client, 0)),
        triangle(triangle_size(given.dimension)),
        moments(given.dimension),
        ucb(run.settings) {
    ucb.resume(triangle, moments);
  }
  SimulatedRun run;
  std::unique_ptr<StepReader> reader;
  std::vector<double> triangle, moments;
  LocalUcb ucb;
  StepSums sums;
};

TEST(LocalUcb, PullsTheArmsOfLinearBandit) {
  RobinSettings settings{.dimension = 5, .arms = 4, .horizon = 2000};
  LearningClient client(settings, 7);
  auto& [run, reader, triangle, moments, ucb, sums] = client;
  Reference reference(run.settings);
  teach(reader->next(), 5, reference, triangle, moments);
  for (std::uint64_t step = step_lanes; step < 2000; step += step_lanes) {
    if (step % 160 == 8) ucb.resume(triangle, moments);
    const StepGroup group = reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      ucb.play(group, lane, sums);
      reference.play(run.settings, group, lane, step + lane);
      ASSERT_NEAR(sums.regret, reference.regret, 1e-11) << "step " << step + lane;
      ASSERT_NEAR(sums.reward, reference.reward, 1e-11);
    }
  }
  EXPECT_GT(sums.regret, 10);
  EXPECT_EQ(sums.rewards_clipped, 0);
}

TEST(LocalUcb, LearnsTheThetaOfRidgeRegressionFromTheArmsItPulls) {
  RobinSettings settings{.arms = 1, .horizon = 300};
  LearningClient client(settings, 0);
  auto& [run, reader, triangle, moments, ucb, sums] = client;
  Reference reference(run.settings);
  for (std::uint64_t step = 0; step < 296; step += step_lanes) {
    const StepGroup group = reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      ucb.play(group, lane, sums);
      reference.play(run.settings, group, lane, step + lane);
    }
  }
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(ucb.theta()[j], reference.bandit.theta()[j], 1e-12);
  EXPECT_EQ(sums.regret, 0);
  EXPECT_NEAR(sums.reward, reference.reward, 1e-10);
  LocalUcb again(run.settings);
  again.resume(triangle, moments);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(again.theta()[j], ucb.theta()[j], 1e-12);
}

TEST(LocalUcb, ClipsRewardsAndCountsThem) {
  RobinSettings settings{.horizon = 400, .reward_bound = .01};
  LearningClient client(settings, 0);
  for (int i = 0; i < 10; ++i) {
    const StepGroup group = client.reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) client.ucb.play(group, lane, client.sums);
  }
  EXPECT_GT(client.sums.rewards_clipped, 70);
  EXPECT_LE(std::abs(client.sums.reward), .8 + 1e-12);
}

}  // namespace
}  // namespace sotto::apps::robin
