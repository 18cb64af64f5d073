#include "apps/bandit/run/local/mode_costs.h"
#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"

#include <algorithm>
#include <chrono>

#include "apps/bandit/run/local/local.h"
#include "tests/framework.h"

namespace sotto::apps::bandit::run {
namespace {

BanditSettings run_of(std::size_t parties, std::size_t batch = 1) {
  BanditSettings run;
  run.parties = parties;
  run.steps = 20;
  run.arms = 3;
  run.batch = batch;
  run.max_norm = 1;
  return run;
}

BanditPlan plan_of(const BanditSettings& run) {
  return plan_bandit(
      bandit_parameters(run, std::vector<std::size_t>(run.parties, 2), std::vector<double>(run.parties, 0.25)));
}

const ModeChoice& choice_of(const std::vector<ModeChoice>& choices, RandomnessBy by) {
  return *std::find_if(choices.begin(), choices.end(), [&](const ModeChoice& choice) { return choice.by == by; });
}

TEST(ModeCosts, AreThoseOfTheModesOwnPlan) {
  for (const std::size_t batch : {1u, 8u}) {
    for (const auto& [by, parties] :
         {std::pair{RandomnessBy::replicated, 3u}, {RandomnessBy::ot, 2u}, {RandomnessBy::helper, 2u}}) {
      BanditSettings run = run_of(parties, batch);
      const std::vector<ModeChoice> choices = mode_choices(run, plan_of(run));
      ASSERT_EQ(choices.size(), 4u);
      run.preprocessing = by;
      const Ledger ledger = plan_costs(plan_of(run));
      const ModeCosts& costs = choice_of(choices, by).costs.value();
      EXPECT_EQ(costs.online, cost_of_steps(ledger));
      EXPECT_EQ(costs.ahead, ledger.of(preprocessing_phase));
      EXPECT_GT(costs.ahead.rounds, 60u);
      EXPECT_EQ(costs.online.dealt, 0u);
      const ModeCosts& dealt = choice_of(choices, RandomnessBy::dealer).costs.value();
      EXPECT_EQ(dealt.ahead, Cost{});
      EXPECT_GT(dealt.online.dealt, 0u);
      EXPECT_EQ(dealt.online.rounds, costs.online.rounds);
      // In batches, two parties that make randomness by transfers select arms by another protocol than with a dealer.
      // The numbers of sent bytes therefore differ. With a helper the actor has another id, so the lists of sent bytes
      // differ.
      if (by == RandomnessBy::replicated || (by == RandomnessBy::ot && batch == 1)) {
        EXPECT_EQ(dealt.online.sent, costs.online.sent);
      }
    }
  }
}

TEST(ModeCosts, AreNoneWhereTheRunCannotHaveTheMode) {
  const auto refused = [](std::size_t parties, RandomnessBy by) {
    const ModeChoice choice = choice_of(mode_choices(run_of(parties), plan_of(run_of(parties))), by);
    EXPECT_EQ(choice.costs.has_value(), choice.refused.empty());
    return choice.refused;
  };
  EXPECT_EQ(refused(2, RandomnessBy::ot), "");
  EXPECT_EQ(refused(3, RandomnessBy::replicated), "");
  EXPECT_EQ(refused(2, RandomnessBy::helper), "");
  EXPECT_THAT(refused(3, RandomnessBy::helper), ::testing::HasSubstr("is of two compute parties and a helper"));
  EXPECT_THAT(refused(2, RandomnessBy::replicated), ::testing::HasSubstr("needs three compute parties"));
  EXPECT_THAT(refused(3, RandomnessBy::ot), ::testing::HasSubstr("needs two compute parties"));
  EXPECT_THAT(refused(4, RandomnessBy::ot), ::testing::HasSubstr("needs two compute parties"));
  EXPECT_EQ(refused(4, RandomnessBy::dealer), "");
}

TEST(ModeCosts, SecondsAreWorkByBytesAndLinksByRoundsAndBytes) {
  BanditSettings run = run_of(2);
  run.preprocessing = RandomnessBy::ot;
  const BanditPlan plan = plan_of(run);
  const Ledger ledger = plan_costs(plan);
  const Cost ahead = ledger.of(preprocessing_phase);
  const auto bytes = static_cast<double>(ahead.sent_by_largest_party(ledger.topology()));
  const ModeCosts idle = mode_costs(plan, ledger, {});
  EXPECT_DOUBLE_EQ(idle.work_seconds, 1e-9 * nanoseconds_a_byte(plan.parameters) * bytes);
  EXPECT_EQ(nanoseconds_a_byte(plan.parameters), 4.5);
  EXPECT_EQ(idle.link_seconds, 0);
  net::LinkConditions link;
  link.delay = std::chrono::milliseconds(20);
  link.jitter = std::chrono::milliseconds(2);
  link.bits_per_second = 1e8;
  const ModeCosts slow = mode_costs(plan, ledger, link);
  EXPECT_DOUBLE_EQ(slow.link_seconds, 0.021 * static_cast<double>(ahead.rounds) + 8 * bytes / 1e8);
  EXPECT_DOUBLE_EQ(slow.seconds(), slow.work_seconds + slow.link_seconds);
  run.preprocessing = RandomnessBy::dealer;
  const BanditPlan dealt = plan_of(run);
  const Ledger of_dealer = plan_costs(dealt);
  const ModeCosts dealer = mode_costs(dealt, of_dealer, link);
  EXPECT_DOUBLE_EQ(dealer.work_seconds,
                   1e-9 * nanoseconds_a_byte(dealt.parameters) * static_cast<double>(of_dealer.total().dealt));
  EXPECT_EQ(dealer.link_seconds, 0);  // 0, because a dealer sends the randomness during the run
}

TEST(ModeCosts, SelectingThePulledArmFirstTakesAThirdOfTheWork) {
  BanditParameters p{.columns = {10, 10}, .arms = 10, .steps = 100, .preprocessing = RandomnessBy::ot};
  const auto work = [&](StepUpdate update) {
    p.update = update;
    const BanditPlan plan = plan_bandit(p);
    return mode_costs(plan, plan_costs(plan), {}).work_seconds;
  };
  const double of_one = work(StepUpdate::pulled_arm);
  EXPECT_EQ(nanoseconds_a_byte(p), 7);
  EXPECT_LT(3 * of_one, work(StepUpdate::all_arms));
}

}  // namespace
}  // namespace sotto::apps::bandit::run
