#include "sotto/apps/robin/client_pool.h"

#include <Eigen/Dense>

#include "sotto/apps/robin/lanes/lane_kernels.h"
#include "tests/apps/robin/simulated.h"

namespace sotto::apps {
namespace {

RobinSettings pool_settings() {
  RobinSettings settings;
  settings.clients = 300;
  settings.dimension = 3;
  settings.arms = 4;
  settings.init_phases = 3;
  settings.horizon = 14 + 16 + 13;
  return settings;
}

// All phases, on the plain mean.
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
    for (ClientPool& pool : pools) {
      whole.append(pool.play(phase, broadcast, threads, not_interrupted));
    }
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
  EXPECT_EQ(one[2].estimates.size(), 900U);  // after phase U
  EXPECT_EQ(one[3].estimates.size(), 900U);
  EXPECT_TRUE(one[4].estimates.empty());  // nobody would play on it
}

// A greedy phase of one client by hand: contexts step by step, regression by Eigen.
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
    const Eigen::VectorXd expected = x.colPivHouseholderQr().solve(earned);
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
  const std::atomic<bool> stop{true};
  EXPECT_THROW((void)pool.play(phases[0], {}, 1, stop), Interrupted);
  RobinSettings other = settings;
  other.arms = 3;
  EXPECT_THROW(ClientPool(other, instance, 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
