#include "apps/kit/files/json.h"
#include "apps/live/config/live_config.h"
#include "bench/lab/soak/soak_ledger.h"
#include "tests/framework.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;
namespace {

using nlohmann::json;

TEST(Soak, FatesFollowFromTheSeed) {
  std::set<EventId> ids;
  std::map<RewardFate, int> rewards;
  int missing = 0, late_activations = 0;
  for (std::uint64_t event = 0; event < 5000; ++event) {
    const EventFate fate = fate_of(7, event, 3);
    EXPECT_EQ(features_line(fate, 2, SoakStep::first), features_line(fate_of(7, event, 3), 2, SoakStep::again));
    EXPECT_NE(features_line(fate, 2, SoakStep::first), features_line(fate, 2, SoakStep::other));
    EXPECT_EQ(fate.features.size(), 3 * soak_columns);
    for (const double value : fate.features) EXPECT_LE(std::abs(value), soak_largest);
    ids.insert(fate.id);
    ids.insert(fate_of(8, event, 3).id);
    ++rewards[fate.reward];
    missing += fate.pushed != std::vector<bool>(3, true) ? 1 : 0;
    late_activations += fate.activated_later ? 1 : 0;
  }
  EXPECT_EQ(ids.size(), 10'000u);
  EXPECT_EQ(rewards.size(), 5u);
  EXPECT_GT(missing, 0);
  EXPECT_GT(late_activations, 0);
}

TEST(Soak, KillsSoManyOfThoseThatRun) {
  KillPlan plan(3, 1000, 50, {"a", "b", "c"});
  std::size_t kills = 0, pairs = 0;
  EXPECT_FALSE(KillPlan(3, 1000, 0, {"a"}).is_due(1000));
  while (plan.is_due(1000)) {
    const std::vector<std::string> victims = plan.take([](const std::string& role) { return role != "b"; });
    kills += victims.size();
    if (victims.size() == 2) {
      ++pairs;
      EXPECT_NE(victims[0], victims[1]);
    }
    for (const std::string& role : victims) EXPECT_NE(role, "b");
  }
  EXPECT_EQ(kills, 50u);
  EXPECT_GT(pairs, 0u);
  KillPlan none(3, 10, 1, {"a"});
  EXPECT_TRUE(none.take([](const std::string&) { return false; }).empty());
  EXPECT_TRUE(none.is_due(10)) << "it waits for one";
}

class SoakLedgerTest : public ::testing::Test {
 protected:
  SoakLedgerTest() { settings.decisions = 3; }
  [[nodiscard]] static json decided(unsigned arm, unsigned number) {
    return {{"status", "decided"}, {"arm_index", arm}, {"number", number}};
  }
  SoakSettings settings;
  SoakFigures figures;
  SoakLedger ledger{settings, figures};
};

TEST_F(SoakLedgerTest, ASecondAnswerIsWrong) {
  EXPECT_TRUE(ledger.take_decision(0, decided(2, 5)));
  EXPECT_TRUE(ledger.take_decision(0, decided(2, 5)));
  EXPECT_EQ(figures.wrong, 0u);
  EXPECT_FALSE(ledger.take_decision(0, decided(3, 5)));
  EXPECT_FALSE(ledger.take_decision(0, decided(2, 6)));
  EXPECT_FALSE(ledger.take_decision(0, {{"status", "baseline"}, {"arm_index", 0U}}));
  EXPECT_FALSE(ledger.take_decision(1, decided(4, 5))) << "there is no such arm";
  EXPECT_FALSE(ledger.take_decision(1, {{"status", 409}}));
  EXPECT_FALSE(ledger.expect("a reward", 1, {{"status", 409}}, {204, 410}));
  EXPECT_TRUE(ledger.expect("a reward", 1, {{"status", 410}}, {204, 410}));
  EXPECT_EQ(figures.wrong, 6u);
  EXPECT_EQ(figures.faults.size(), 6u);
  figures.model_is_right = true;
  EXPECT_FALSE(figures.passed());
}

TEST_F(SoakLedgerTest, TheModelIsOfWhatWasToldActiveAndRewarded) {
  LiveConfig config;
  config.parties = 2;
  config.steps = 3;
  config.live.arms = {"a", "b", "c", "d"};
  const BatchPlan plan = plan_batches(live_parameters(config, {soak_columns, soak_columns}), 1, false);
  const ModelWords before = ledger.expected(plan);
  EXPECT_TRUE(ledger.take_decision(0, decided(1, 1)));
  EXPECT_EQ(ledger.expected(plan), before) << "it is not active";
  ledger.at(0).active = true;
  const ModelWords learned = ledger.expected(plan);
  EXPECT_NE(learned.gram, before.gram);
  EXPECT_EQ(learned.targets, before.targets);
  ledger.at(0).rewarded = true;
  EXPECT_EQ(ledger.expected(plan).targets != before.targets, ledger.fate(0).value == 1);
  EXPECT_TRUE(ledger.take_decision(1, {{"status", "baseline"}, {"arm_index", 0U}}));
  ledger.at(1).active = true;
  EXPECT_EQ(ledger.expected(plan).gram, learned.gram);
}

}  // namespace
}  // namespace sotto::apps::lab
