// The engines of all roles together: what is asked is told once, and the model is that of what was learned.
#include "tests/apps/live/engine/visitors.h"

namespace sotto::apps::live::testing {

namespace {

class EnginesOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EnginesOf, WhatIsToldIsLearned) {
  Engines engines(GetParam());
  Visitors visitors(engines, 300);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.go_on(20);
    return visitors.all_done() && nothing_pending(engines);
  }));
  expect_model(engines, visitors);
  EXPECT_EQ(engines.actor->counters().decided, 300u);
  EXPECT_EQ(engines.actor->status().epoch, 1u);
  const OrderNumber numbers = engines.actor->status().number;
  engines.kill(engines.actor_id());  // which may be telling the last
  using Phase = LiveObserver::Phase;
  EXPECT_EQ(engines.observed[static_cast<std::size_t>(Phase::wait)], numbers * (GetParam() + 1));
  EXPECT_EQ(engines.observed[static_cast<std::size_t>(Phase::store)], numbers * (GetParam() + 2));
  EXPECT_GE(engines.observed[static_cast<std::size_t>(Phase::rounds)], numbers * (GetParam() + 1));
}

INSTANTIATE_TEST_SUITE_P(Live, EnginesOf, ::testing::Values(2, 3, 5));

// The rewarder alone knows which events are left out.
TEST(LiveEngines, WithoutARewardAnEventIsNotLearned) {
  LiveSettings settings = engine_settings();
  settings.default_reward.reset();
  settings.reward_wait = 1000;
  Engines engines(3, settings);
  Visitors visitors(engines, 120);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.go_on(20);
    return visitors.all_done() && nothing_pending(engines);
  }));
  expect_model(engines, visitors);
  const auto& all = visitors.visits();
  const auto rewarded = std::count_if(all.begin(), all.end(), [](const Visit& visit) { return visit.rewarded; });
  EXPECT_GT(rewarded, 0);
  EXPECT_LT(rewarded, std::ssize(all)) << "of a third nothing is heard";
  EXPECT_EQ(engines.rewarder->counters().rewards_learned, static_cast<std::uint64_t>(rewarded));
}

// Any role ends at any time, and goes on from its rows.
TEST(LiveEngines, EndAtAnyTimeAndGoOn) {
  Engines engines(2);
  Visitors visitors(engines, 1200);
  ASSERT_NO_FATAL_FAILURE(play_through_kills(engines, visitors, 20, 20, 50, 3,
                                             [&] { return visitors.all_done() && nothing_pending(engines); }));
  expect_model(engines, visitors);
}

}  // namespace
}  // namespace sotto::apps::live::testing
