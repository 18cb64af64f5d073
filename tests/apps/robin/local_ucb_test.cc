#include "sotto/apps/robin/local_ucb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/apps/kit/learn/linear_bandit.h"
#include "sotto/apps/robin/lanes/lane_kernels.h"
#include "sotto/apps/robin/schedule.h"

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

TEST(LocalUcb, PullsTheArmsOfLinearBandit) {
  RobinSettings settings;
  settings.dimension = 5;
  settings.arms = 4;
  settings.horizon = 2000;
  const auto instance = simulated_instance(settings);
  settings = resolved(settings, *instance);
  std::vector<double> triangle(triangle_size(5)), moments(5);
  LocalUcb ucb(settings);
  Reference reference(settings);
  const auto reader = instance->reader();
  reader->seek(7, 0);
  teach(reader->next(), 5, reference, triangle, moments);
  StepSums sums;
  for (std::uint64_t step = step_lanes; step < 2000; step += step_lanes) {
    if (step % 160 == 8) ucb.resume(triangle, moments);  // as after another client
    const StepGroup group = reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      ucb.play(group, lane, sums);
      reference.play(settings, group, lane, step + lane);
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
  const auto instance = simulated_instance(settings);
  settings = resolved(settings, *instance);
  std::vector<double> triangle(triangle_size(4)), moments(4);
  LocalUcb ucb(settings);
  ucb.resume(triangle, moments);
  Reference reference(settings);
  StepSums sums;
  const auto reader = instance->reader();
  reader->seek(0, 0);
  for (std::uint64_t step = 0; step < 296; step += step_lanes) {
    const StepGroup group = reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) {
      ucb.play(group, lane, sums);
      reference.play(settings, group, lane, step + lane);
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(ucb.theta()[j], reference.bandit.theta()[j], 1e-12);
  }
  EXPECT_EQ(sums.regret, 0);
  EXPECT_NEAR(sums.reward, reference.reward, 1e-10);
  LocalUcb again(settings);
  again.resume(triangle, moments);  // from the sums alone
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(again.theta()[j], ucb.theta()[j], 1e-12);
}

TEST(LocalUcb, ClipsRewardsAndCountsThem) {
  RobinSettings settings;
  settings.reward_bound = .01;
  settings.horizon = 400;
  const auto instance = simulated_instance(settings);
  settings = resolved(settings, *instance);
  std::vector<double> triangle(triangle_size(4)), moments(4);
  LocalUcb ucb(settings);
  ucb.resume(triangle, moments);
  StepSums sums;
  const auto reader = instance->reader();
  reader->seek(0, 0);
  for (int i = 0; i < 10; ++i) {
    const StepGroup group = reader->next();
    for (std::size_t lane = 0; lane < step_lanes; ++lane) ucb.play(group, lane, sums);
  }
  EXPECT_GT(sums.rewards_clipped, 70);
  EXPECT_LE(std::abs(sums.reward), .8 + 1e-12);
}

}  // namespace
}  // namespace sotto::apps
