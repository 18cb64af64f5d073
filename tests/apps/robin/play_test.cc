#include "sotto/apps/robin/play.h"

#include "tests/apps/robin/simulated.h"

namespace sotto::apps {
namespace {

RobinOutcome play(RobinSettings settings, std::size_t threads = 1, bool twins = true) {
  const auto instance = simulated_instance(settings);
  settings = resolved(settings, *instance);
  RobinPlayOptions options;
  options.threads = threads;
  options.twins = twins;
  options.most_twin_clients = 100;
  return play_robin(settings, instance, Coins::insecure(settings.seed), options, {}, not_interrupted);
}

RobinSettings play_settings() {
  RobinSettings settings;
  settings.clients = 600;
  settings.epsilon = 4;
  settings.horizon = 510;
  return settings;
}

TEST(PlayRobin, IsTheSameForAnyNumberOfThreads) {
  const RobinOutcome one = play(play_settings());
  const RobinOutcome three = play(play_settings(), 3);
  EXPECT_EQ(one.regret_per_client, three.regret_per_client);
  EXPECT_EQ(one.regret_local, three.regret_local);
  EXPECT_EQ(one.regret_nonprivate, three.regret_nonprivate);
  EXPECT_EQ(one.epsilon_spent, three.epsilon_spent);
}

TEST(PlayRobin, FillsInItsOutcome) {
  const RobinOutcome outcome = play(play_settings());
  EXPECT_EQ(outcome.decision.mode, RobinMode::federated);
  ASSERT_EQ(outcome.phases.size(), 8U);
  double regret = 0;
  for (const PhaseFigures& phase : outcome.phases) {
    regret += phase.regret;
    EXPECT_EQ(phase.estimate_error.has_value(), !phase.local);
  }
  EXPECT_DOUBLE_EQ(*outcome.regret_per_client, regret);
  EXPECT_EQ(outcome.twin_clients, 100U);
  EXPECT_EQ(outcome.local_phases.size(), 8U);
  EXPECT_EQ(outcome.releases.size(), 2U);
  EXPECT_LE(outcome.epsilon_spent, 4);
  EXPECT_GT(outcome.epsilon_spent, 3.99);
  EXPECT_LE(outcome.delta_spent, 1e-5);
  EXPECT_GT(outcome.rho_spent, 0);
  // The first phases are local for all three, and the same.
  EXPECT_NEAR(outcome.phases[0].regret, outcome.local_phases[0].regret, .2);
  EXPECT_EQ(outcome.local_phases[5].regret, outcome.nonprivate_phases[5].regret);
  // Sharing is better than not, and privacy costs.
  EXPECT_LT(*outcome.regret_per_client, *outcome.regret_local);
  EXPECT_LT(*outcome.regret_nonprivate, *outcome.regret_local);
}

TEST(PlayRobin, ARefusedRunPlaysAndSpendsNothing) {
  RobinSettings settings = play_settings();
  settings.epsilon = .01;
  const RobinOutcome outcome = play(settings);
  EXPECT_EQ(outcome.decision.mode, RobinMode::refused);
  EXPECT_FALSE(outcome.decision.why.empty());
  EXPECT_FALSE(outcome.regret_per_client);
  EXPECT_FALSE(outcome.regret_local);
  EXPECT_TRUE(outcome.phases.empty());
  EXPECT_EQ(outcome.epsilon_spent, 0);
}

TEST(PlayRobin, AdaptivelyItIsTheLocalTwinOfAllClients) {
  RobinSettings settings = play_settings();
  settings.clients = 100;
  settings.epsilon = .01;
  settings.adaptive = true;
  const RobinOutcome outcome = play(settings);
  EXPECT_EQ(outcome.decision.mode, RobinMode::local);
  EXPECT_EQ(outcome.regret_per_client, outcome.regret_local);
  EXPECT_EQ(outcome.epsilon_spent, 0);
  EXPECT_TRUE(outcome.releases.empty());
}

TEST(PlayRobin, TwinsCanBeAddedLater) {
  const RobinOutcome whole = play(play_settings());
  RobinOutcome alone = play(play_settings(), 1, false);
  EXPECT_FALSE(alone.regret_local);
  EXPECT_EQ(alone.regret_per_client, whole.regret_per_client);
  RobinPlayOptions options;
  options.most_twin_clients = 100;
  std::uint64_t last = 0;
  add_twins(
      alone, simulated_instance(play_settings()), options,
      [&](std::uint64_t played, std::uint64_t total) {
        EXPECT_LE(played, total);
        last = total - played;
      },
      not_interrupted);
  EXPECT_EQ(alone.regret_local, whole.regret_local);
  EXPECT_EQ(alone.regret_nonprivate, whole.regret_nonprivate);
  EXPECT_EQ(last, 0U);
}

TEST(PlayRobin, StopsWhenAsked) {
  const auto instance = simulated_instance(play_settings());
  const RobinSettings settings = resolved(play_settings(), *instance);
  const std::atomic<bool> stop{true};
  EXPECT_THROW((void)play_robin(settings, instance, Coins::insecure(1), {}, {}, stop), Interrupted);
}

// Forced to run where it would be refused, a run goes as wrong as the refusal says.
TEST(PlayRobin, WhatIsRefusedWouldGoWrongStatistical) {
  RobinSettings settings;
  settings.clients = 100;
  settings.most_misfire = 1;
  double regret = 0;
  for (settings.seed = 1; settings.seed <= 3; ++settings.seed) {
    regret += *play(settings, 2, false).regret_per_client / 3;
  }
  EXPECT_GT(regret, 62);  // local LinUCB has 31
}

// The reference's figures for d = 4, K = 5, and the paper's mechanisms.
TEST(PlayRobin, RegretIsThatOfTheReferenceStatistical) {
  RobinSettings settings;
  settings.noise = NoiseKind::laplace;
  double regret = 0, local = 0, nonprivate = 0;
  for (settings.seed = 1; settings.seed <= 4; ++settings.seed) {
    const RobinOutcome outcome = play(settings, 2);
    regret += *outcome.regret_per_client / 4;
    local += *outcome.regret_local / 4;
    nonprivate += *outcome.regret_nonprivate / 4;
  }
  EXPECT_NEAR(local, 30.7, 1.5);
  EXPECT_NEAR(nonprivate, 13.0, .65);
  EXPECT_LT(regret, 17.8 + 3.8);
  EXPECT_GT(regret, nonprivate);
}

}  // namespace
}  // namespace sotto::apps
