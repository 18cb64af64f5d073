#include "apps/live/api/lift_figures.h"

#include <cmath>
#include <random>

#include "apps/kit/dp/samplers.h"
#include "tests/apps/live/api/role_rig.h"

namespace sotto::apps::live {
namespace {

using namespace api_test;

LiftBasis basis_of(std::vector<double> levels, double epsilon, std::uint64_t window = 10'000) {
  return {std::move(levels), "gift", 4, 2, .2, {window, epsilon, 1}};
}

LiftWords words_of_counts(const std::vector<double>& counts) {
  LiftWords words;
  for (const double count : counts) words.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(count)));
  return words;
}

// With e = .2 and four arms, the best arm has probability .85, and each other arm .05.
TEST(LiftFigures, WeighCountsByTheirProbabilities) {
  const LiftBasis basis = basis_of({0, 1}, 1000);
  // 1,000 events earn .6. The baseline arm was the best 170 times, of which 85 earned 1, and another 40 times, of which
  // 10 earned 1. It would have earned 85 / .85 + 10 / .05 = 300 of 1,000.
  const LiftEstimate estimate = lift_estimate(words_of_counts({400, 600, 85, 85, 30, 10}), 1, basis);
  EXPECT_EQ(estimate.events, 1000);
  EXPECT_NEAR(estimate.service, .6, 1e-12);
  // The control variate gives .6 + (.4 (100 + 200) - .6 (100 + 600)) / 1000.
  EXPECT_NEAR(estimate.baseline, .6 + (.4 * 300 - .6 * 700) / 1000, 1e-12);
  EXPECT_NEAR(estimate.lift, estimate.service - estimate.baseline, 1e-12);
  EXPECT_GT(estimate.half, 0);
}

TEST(LiftFigures, SayNothingOfCountsThatAreNoise) {
  const LiftBasis basis = basis_of({0, 1}, .1);
  EXPECT_EQ(lift_estimate(words_of_counts({20, 30, 1, 1, 1, 1}), 1, basis).events, 0);
  EXPECT_EQ(lift_estimate({}, 1, basis).events, 0);
  EXPECT_EQ(lift_estimate(words_of_counts({1, 2, 3}), 1, basis).events, 0);
  EXPECT_EQ(lift_estimate(words_of_counts({400, 600, 85, 85, 30, 10}), 0, basis).events, 0);
}

// The widths that docs/guides/live.md states. Half of the events earn 1, and each arm is as often the best.
TEST(LiftFigures, AreAsExactAsTheGuideSays) {
  const auto half = [](double epsilon, std::uint64_t windows) {
    const LiftBasis basis{{0, 1}, "gift", 3, 2, .1, {10'000, epsilon, 1}};
    const auto n = static_cast<double>(10'000 * windows);
    const double best = n / 2 / 3 * (.9 + .1 / 3);
    const double other = n / 2 * 2 / 3 * .1 / 3;
    return lift_estimate(words_of_counts({n / 2, n / 2, best, best, other, other}), windows, basis).half;
  };
  EXPECT_NEAR(half(.1, 1), .32, .01);
  EXPECT_NEAR(half(1, 1), .055, .001);
  EXPECT_NEAR(half(.1, 100), .032, .001);
  EXPECT_NEAR(half(1, 100), .0055, .0002);
}

// A service in which the best arm of an event is known to the test. Rewards have five levels or two.
struct SimulatedLift {
  LiftWords counts;
  double truth = 0;
};
SimulatedLift simulated(std::mt19937_64& random, const LiftBasis& basis, std::uint64_t windows) {
  const std::size_t levels = basis.levels.size();
  std::vector<double> counts(3 * levels);
  std::uniform_real_distribution<double> uniform;
  double truth = 0;
  const std::uint64_t events = windows * basis.windows.window;
  for (std::uint64_t event = 0; event < events; ++event) {
    const std::size_t best = random() % basis.arms;
    const bool explores = uniform(random) < basis.exploration;
    const std::size_t arm = explores ? random() % basis.arms : best;
    // The best arm earns the highest level with probability .6, another arm with probability .4.
    const auto chance = [&](std::size_t a) { return a == best ? .6 : .4; };
    const double span = basis.levels.back() - basis.levels.front();
    double mean = 0;
    for (std::size_t a = 0; a < basis.arms; ++a) {
      const double share = basis.exploration / static_cast<double>(basis.arms);
      mean += (a == best ? 1 - basis.exploration + share : share) * chance(a);
    }
    truth += span * (mean - chance(0));
    const std::size_t level = uniform(random) < chance(arm) ? levels - 1 : 0;
    ++counts[level];
    if (arm == 0) ++counts[(arm == best ? 1 : 2) * levels + level];
  }
  Coins coins = Coins::of(random());
  const std::uint64_t rows = basis.windows.rows_per_subject;
  SimulatedLift result{words_of_counts(counts), truth / static_cast<double>(events)};
  for (std::uint64_t window = 0; window < windows; ++window) {
    for (std::size_t i = 0; i < result.counts.size(); ++i) {
      const auto add = [&](std::uint64_t times) {
        result.counts[i] +=
            static_cast<std::uint64_t>(discrete_laplace(coins, laplace_scale(basis.windows.epsilon, times * rows)));
      };
      add(4);
      for (std::size_t party = 0; party < basis.parties && i >= levels; ++party) add(2);
    }
  }
  return result;
}

// 95% intervals must hold at least 92.5% of the time in 400 runs.
TEST(LiftFigures, IntervalsHoldTheLift) {
  std::mt19937_64 random(3);
  struct Scene {
    LiftBasis basis;
    std::uint64_t windows;
  };
  for (const auto& [basis, windows] : {Scene{basis_of({0, 1}, 1, 2000), 1}, Scene{basis_of({0, 1}, .5, 1000), 4},
                                       Scene{basis_of({-1, -.5, 0, .5, 1}, 2, 2000), 1}}) {
    int held = 0;
    for (int run = 0; run < 400; ++run) {
      const SimulatedLift played = simulated(random, basis, windows);
      const LiftEstimate estimate = lift_estimate(played.counts, windows, basis);
      held += std::abs(estimate.lift - played.truth) <= estimate.half ? 1 : 0;
    }
    EXPECT_GE(held, 370) << basis.levels.size() << " levels, epsilon " << basis.windows.epsilon;
    EXPECT_LT(held, 400) << "intervals that always hold are too wide";
  }
}

TEST(LiftFigures, AreGivenToTheActorAlone) {
  at_each_role([](ApiRig& rig, auto& service) {
    EXPECT_EQ(rig.call("GET", "/v1/privacy").json()["lift"], nullptr) << "without the setting";
    rig.context->terms.lift = basis_of({0, 1}, 1000);
    const auto told = rig.call("GET", "/v1/privacy").json()["lift"];
    EXPECT_NE(keeps_order(service.the_status.kind), told.is_null());
    if (told.is_null()) return;
    EXPECT_EQ(told["all"], nullptr) << "no window was shown";
    LiftWindow& lift = service.the_status.lift;
    lift.events = 77;
    lift.opened = 1;
    lift.spent = .5;
    lift.last = lift.all = words_of_counts({400, 600, 85, 85, 30, 10});
    const auto shown = rig.call("GET", "/v1/privacy").json()["lift"];
    EXPECT_EQ(shown["baseline_arm"], "gift");
    EXPECT_EQ(shown["counted"], 77);
    EXPECT_EQ(shown["shown"], 1);
    EXPECT_EQ(shown["epsilon_spent"], .5);
    EXPECT_THAT(rig.call("GET", "/metrics").body,
                AllOf(HasSubstr("sotto_lift_windows_total 1\n"), HasSubstr("sotto_lift_epsilon 0.5\n")));
    const bool is_actor = service.the_status.kind == LiveRoleKind::actor;
    EXPECT_EQ(shown["all"].is_null(), !is_actor);
    const std::string sees = rig.call("GET", "/v1/privacy").json()["views"]["sees"].dump();
    EXPECT_EQ(sees.find("how many earned which reward") != std::string::npos, is_actor);
    if (!is_actor) return;
    EXPECT_NEAR(shown["all"]["lift"], .3, 1e-9);
    EXPECT_EQ(shown["last"], shown["all"]);
    EXPECT_LT(shown["all"]["low"], shown["all"]["lift"]);
  });
}

}  // namespace
}  // namespace sotto::apps::live
