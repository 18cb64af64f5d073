#include "apps/robin/play.h"
#include "apps/robin/aggregator.h"
#include "apps/robin/instance.h"
#include "tests/apps/robin/simulated.h"
#include "tests/apps/support.h"

namespace sotto::apps::robin {
namespace {

RobinOutcome play(RobinSettings settings, std::size_t threads = 1, bool twins = true) {
  const auto instance = simulated_instance(settings);
  settings = resolved(settings, *instance);
  RobinPlayOptions options{.threads = threads, .twins = twins, .most_twin_clients = 100};
  return play_robin(settings, instance, Coins::insecure(settings.seed), options, {}, not_interrupted);
}

RobinSettings play_settings() { return RobinSettings{.clients = 600, .horizon = 510, .epsilon = 4}; }

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
  EXPECT_NEAR(outcome.phases[0].regret, outcome.local_phases[0].regret, .2);
  EXPECT_EQ(outcome.local_phases[5].regret, outcome.nonprivate_phases[5].regret);
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
  EXPECT_THROW((void)play_robin(settings, instance, Coins::insecure(1), {}, {}, always_interrupted), Interrupted);
}

TEST(PlayRobin, WhatIsRefusedWouldGoWrongStatistical) {
  RobinSettings settings{.clients = 100, .most_misfire = 1};
  double regret = 0;
  for (settings.seed = 1; settings.seed <= 3; ++settings.seed) {
    regret += *play(settings, 2, false).regret_per_client / 3;
  }
  EXPECT_GT(regret, 62);  // local LinUCB has a regret of 31
}

// The expected regrets are the results of the reference implementation for 4 features and 5 arms.
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

RobinSettings settings_of(std::size_t clients, double epsilon) {
  RobinSettings settings{.clients = clients, .epsilon = epsilon, .lambda_min = .196};
  return checked(settings);
}

std::vector<double> estimates_of(const RobinSettings& settings, const Phase& phase) {
  const double sd = tau_of(settings, phase) / settings.tau_factor;
  const double theta[] = {.5, -.5, .1, .7};
  std::vector<double> estimates;
  for (std::size_t i = 0; i < settings.clients; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      estimates.push_back(theta[j] + sd * std::sqrt(2) * std::sin(1.0 + static_cast<double>(i * (j + 2))));
    }
  }
  return estimates;
}

std::vector<Phase> uploads_of(const RobinSettings& settings) {
  std::vector<Phase> uploads;
  for (const Phase& phase : phases_of(settings)) {
    if (phase.uploads) uploads.push_back(phase);
  }
  return uploads;
}

TEST(RobinDecision, RunsWhereTheReferenceRunsAndRefusesWhereItMisfires) {
  EXPECT_EQ(decide(settings_of(1000, 1)).mode, RobinMode::federated);
  EXPECT_EQ(decide(settings_of(1000, 3)).mode, RobinMode::federated);
  EXPECT_EQ(decide(settings_of(4000, .5)).mode, RobinMode::federated);
  EXPECT_EQ(decide(settings_of(200, 10)).mode, RobinMode::federated);
  EXPECT_EQ(decide(settings_of(200, 1)).mode, RobinMode::refused);
  EXPECT_EQ(decide(settings_of(1000, .5)).mode, RobinMode::refused);
  EXPECT_EQ(decide(settings_of(2, 1)).mode, RobinMode::refused);
}

TEST(RobinDecision, SaysWhatWouldDoAndThatDoes) {
  for (const Composition composition : {Composition::zcdp, Composition::nested}) {
    const bool nested = composition == Composition::nested;
    RobinSettings settings = settings_of(nested ? 2000 : 200, 1);
    settings.noise = NoiseKind::laplace;
    settings.composition = composition;
    const RobinDecision decision = decide(settings);
    ASSERT_EQ(decision.mode, RobinMode::refused);
    EXPECT_GT(decision.misfire, .01);
    EXPECT_LE(decision.misfire, 1);
    EXPECT_THAT(decision.why, AllOf(HasSubstr(nested ? "2000 clients" : "200 clients"), HasSubstr("epsilon 1"),
                                    HasSubstr("--adaptive"), HasSubstr("clients would do"), Not(HasSubstr("\n"))));
    ASSERT_TRUE(decision.enough_clients && decision.enough_epsilon);
    RobinSettings more = settings;
    more.clients = *decision.enough_clients;
    EXPECT_EQ(decide(more).mode, RobinMode::federated);
    more.clients = *decision.enough_clients * 9 / 10;
    EXPECT_EQ(decide(more).mode, RobinMode::refused);
    more = settings;
    more.epsilon = *decision.enough_epsilon;
    EXPECT_EQ(decide(more).mode, RobinMode::federated);
    more.epsilon = *decision.enough_epsilon * .9;
    EXPECT_EQ(decide(more).mode, RobinMode::refused);
  }
}

TEST(RobinDecision, NestedCompositionNeedsTenTimesAsManyClients) {
  RobinSettings settings = settings_of(50, 1);
  settings.noise = NoiseKind::laplace;
  const auto zcdp = decide(settings).enough_clients;
  settings.composition = Composition::nested;
  const auto nested = decide(settings).enough_clients;
  ASSERT_TRUE(zcdp && nested);
  EXPECT_GT(*nested, 8 * *zcdp);
}

TEST(RobinDecision, AdaptivePlaysLocally) {
  RobinSettings settings = settings_of(200, 1);
  settings.adaptive = true;
  const RobinDecision decision = decide(settings);
  EXPECT_EQ(decision.mode, RobinMode::local);
  EXPECT_THAT(decision.why, HasSubstr("plays by itself"));
  RobinAggregator aggregator(settings, Coins::insecure(1));
  EXPECT_THROW((void)aggregator.release(std::vector<double>(800)), std::invalid_argument);
  EXPECT_EQ(aggregator.epsilon_spent(), 0);
  settings.clients = 1000;
  EXPECT_EQ(decide(settings).mode, RobinMode::federated);
}

TEST(RobinDecision, TheUserMayAllowMore) {
  RobinSettings settings = settings_of(200, 1);
  settings.most_misfire = 1;
  EXPECT_EQ(decide(settings).mode, RobinMode::federated);
  settings = settings_of(1000, 1);
  settings.most_misfire = 0;
  EXPECT_EQ(decide(settings).mode, RobinMode::refused);
}

TEST(RobinDecision, RoundTheLastReleaseOnlyTheFirstRangeCanMiss) {
  RobinSettings settings = settings_of(1000, 1);
  const double all = decide(settings).misfire;
  settings.range = RangeKind::last_release;
  EXPECT_LT(decide(settings).misfire, all);
  EXPECT_GT(decide(settings).misfire, 0);
}

TEST(RobinDecision, RefusesARangeOfTooManyBins) {
  RobinSettings settings = settings_of(1000, 1);
  settings.tau_factor = 1e-6;
  EXPECT_THAT(error_of<InputError>([&] { (void)decide(settings); }), HasSubstr("--tau-factor: "));
}

TEST(RobinAggregator, ReleasesMeansWithinItsBudgetAndNoMore) {
  for (const RangeKind range : {RangeKind::private_range, RangeKind::last_release}) {
    for (const Composition composition : {Composition::zcdp, Composition::nested}) {
      RobinSettings settings = settings_of(20'000, 1);
      settings.range = range;
      settings.noise = NoiseKind::laplace;
      settings.composition = composition;
      RobinAggregator aggregator(settings, Coins::insecure(3));
      ASSERT_EQ(aggregator.decision().mode, RobinMode::federated);
      double spent = 0;
      for (const Phase& phase : uploads_of(settings)) {
        const auto mean = aggregator.release(estimates_of(settings, phase));
        const Release& release = aggregator.releases().back();
        EXPECT_EQ(release.phase, phase.number);
        EXPECT_EQ(release.round_last, range == RangeKind::last_release && spent > 0);
        const double slack = 8 * release.noise_sd + .05 * release.tau;
        EXPECT_NEAR(mean[0], .5, slack);
        EXPECT_NEAR(mean[3], .7, slack);
        EXPECT_GT(release.epsilon_spent, spent);
        spent = release.epsilon_spent;
      }
      EXPECT_LE(spent, 1);
      EXPECT_GT(spent, .99);
      EXPECT_EQ(aggregator.releases().size(), 6U);
      EXPECT_EQ(aggregator.rho_spent() > 0, composition == Composition::zcdp);
      EXPECT_THROW((void)aggregator.release(std::vector<double>(80'000)), std::invalid_argument);
      EXPECT_EQ(aggregator.epsilon_spent(), spent);
    }
  }
}

TEST(RobinAggregator, CountsEstimatesThatAreTooLongOrNoNumbers) {
  const RobinSettings settings = settings_of(5000, 1);
  RobinAggregator aggregator(settings, Coins::insecure(4));
  const auto uploads = uploads_of(settings);
  std::vector<double> estimates = estimates_of(settings, uploads[0]);
  estimates[0] = std::numeric_limits<double>::quiet_NaN();
  estimates[9] = std::numeric_limits<double>::infinity();
  estimates[40] = 1e300;
  const auto mean = aggregator.release(estimates);
  EXPECT_EQ(aggregator.releases().back().clipped, 3U);
  EXPECT_NEAR(mean[1], -.5, .2);
}

TEST(RobinAggregator, WantsAnEstimateOfEachClient) {
  RobinAggregator aggregator(settings_of(1000, 1), Coins::insecure(5));
  EXPECT_THROW((void)aggregator.release(std::vector<double>(3996)), std::invalid_argument);
  EXPECT_THROW((void)aggregator.release({}), std::invalid_argument);
  EXPECT_EQ(aggregator.epsilon_spent(), 0);
  EXPECT_TRUE(aggregator.releases().empty());
}

}  // namespace
}  // namespace sotto::apps::robin
