#include "sotto/apps/robin/local_ucb.h"

#include "sotto/apps/kit/learn/linear_bandit.h"
#include "sotto/apps/robin/lanes/lane_kernels.h"
#include "tests/apps/robin/simulated.h"

namespace sotto::apps {
namespace {

// What LinearBandit makes of the same steps.
struct Reference {
  explicit Reference(const RobinSettings& settings)
      : bandit([&] {
          LinearBanditOptions options;
          options.dimension = settings.dimension;
          options.arms = settings.arms;
          options.beta = settings.alpha;
          options.lambda = settings.ridge;
          return options;
        }()),
        contexts(settings.arms * settings.dimension) {}

  LinearBandit bandit;
  std::vector<double> contexts;
  double regret = 0;
  double reward = 0;

  void play(const RobinSettings& settings, const StepGroup& group, std::size_t lane, std::uint64_t step) {
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      contexts[i] = group.contexts[i * step_lanes + lane];
    }
    const std::size_t arm = bandit.select(step, contexts);
    double largest = -1;
    for (std::size_t k = 0; k < settings.arms; ++k) {
      largest = std::max(largest, group.means[k * step_lanes + lane]);
    }
    const double mean = group.means[arm * step_lanes + lane];
    regret += largest - mean;
    reward += mean + group.noise[lane];
    bandit.update(std::span(contexts).subspan(arm * settings.dimension, settings.dimension), mean + group.noise[lane]);
  }
};

// Teaches both the same samples, without a step: at the start all arms tie, and the two break ties differently.
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

// A client that begins: its sums are those that it is resumed from.
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
  RobinSettings settings;
  settings.dimension = 5;
  settings.arms = 4;
  settings.horizon = 2000;
  LearningClient client(settings, 7);
  auto& [run, reader, triangle, moments, ucb, sums] = client;
  Reference reference(run.settings);
  teach(reader->next(), 5, reference, triangle, moments);
  for (std::uint64_t step = step_lanes; step < 2000; step += step_lanes) {
    if (step % 160 == 8) ucb.resume(triangle, moments);  // as after another client
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
  RobinSettings settings;
  settings.arms = 1;
  settings.horizon = 300;
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
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(ucb.theta()[j], reference.bandit.theta()[j], 1e-12);
  }
  EXPECT_EQ(sums.regret, 0);
  EXPECT_NEAR(sums.reward, reference.reward, 1e-10);
  LocalUcb again(run.settings);
  again.resume(triangle, moments);  // from the sums alone
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(again.theta()[j], ucb.theta()[j], 1e-12);
}

TEST(LocalUcb, ClipsRewardsAndCountsThem) {
  RobinSettings settings;
  settings.reward_bound = .01;
  settings.horizon = 400;
  LearningClient client(settings, 0);
  for (int i = 0; i < 10; ++i) {
    const StepGroup group = client.reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) client.ucb.play(group, lane, client.sums);
  }
  EXPECT_GT(client.sums.rewards_clipped, 70);
  EXPECT_LE(std::abs(client.sums.reward), .8 + 1e-12);
}

}  // namespace
}  // namespace sotto::apps
