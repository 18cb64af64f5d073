// Clocks that are ahead for a while and then go back. Every wait of a role must be shorter than the time by which a
// clock was ahead.
#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class LiveClock : public InService {
 protected:
  static constexpr LiveTime hour = 3'600'000;

  bool learns(LiveTime now) {
    const auto entry = service->propose(now);
    const bool is_learn = entry && entry->shape.kind == EntryKind::learn;
    if (entry) (void)service->finish(now);
    return is_learn;
  }
};

TEST_F(LiveClock, LearningGoesOnWhereTheActorsClockGoesBack) {
  begin();
  ask(1, 1, start + hour);
  (void)service->run(start + hour);
  EXPECT_EQ(actor().clock_turns().times, 0u);
  EXPECT_FALSE(learns(start));
  EXPECT_EQ(actor().clock_turns(), (ClockTurns{1, hour, start}));
  EXPECT_FALSE(learns(start + settings.reward_wait - 1));
  EXPECT_TRUE(learns(start + settings.reward_wait));
}

TEST_F(LiveClock, ABatchIsNoLaterThanTheOneAfterIt) {
  begin();
  ask(1, 1, start + hour);
  (void)service->run(start + hour);
  ask(2, 1, start + 5);
  (void)service->run(start + 5);
  (void)restart(start + 10);
  EXPECT_FALSE(learns(start + 5 + settings.reward_wait - 1));
  EXPECT_TRUE(learns(start + 5 + settings.reward_wait));
  EXPECT_EQ(actor().pending(), 0u) << "both";
}

TEST_F(LiveClock, IsLookedAtAsAnEpochOpens) {
  begin();
  ask(1, 1, start + hour);
  (void)service->run(start + hour);
  (void)restart(start);
  EXPECT_TRUE(learns(start + settings.reward_wait));
}

TEST_F(LiveClock, ACadenceGoesOn) {
  settings.cadence = 50;
  settings.padding = LivePadding::hidden;
  unsigned next = 1000;
  peers.padding_event = [&next] { return live_event(next++); };
  begin();
  ASSERT_TRUE(service->propose(start + hour));
  (void)service->finish(start + hour);
  EXPECT_FALSE(service->propose(start));
  ASSERT_TRUE(service->propose(start + 50));
  (void)service->finish(start + 50);
}

TEST_F(LiveClock, CallersAreToldTheBaselineInTheirTime) {
  begin();
  ask(1, 1, start + hour);
  EXPECT_TRUE(actor().pass_deadlines(start).baselines.empty());
  EXPECT_EQ(actor().next_deadline(), start + settings.decision_deadline);
  EXPECT_EQ(actor().pass_deadlines(start + settings.decision_deadline).baselines.size(), 1u);
}

TEST_F(LiveClock, BaselinesAreForgotten) {
  begin();
  ask(1, 1, start + hour);
  ASSERT_EQ(actor().pass_deadlines(start + 2 * hour).baselines.size(), 1u);
  ask(2, 1, start);
  ASSERT_EQ(actor().pass_deadlines(start + hour / 2).baselines.size(), 1u);
  const LiveTime end = start + hour / 2 + settings.remember + actor_remembers_longer;
  actor().forget(end);
  EXPECT_FALSE(actor().find(live_event(1)));
  EXPECT_FALSE(actor().find(live_event(2)));
}

TEST_F(LiveClock, WhatWaitsAtPartyAndRewarderIsDropped) {
  settings.max_pending = 4;
  begin();
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(push(i, .1, start + hour), PushStatus::stored);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(post(i, 1, start + hour), RewardStatus::unknown);
  EXPECT_EQ(party().forget(start), 0u);
  EXPECT_EQ(rewarder().forget(start), 0u);
  EXPECT_EQ(party().forget(start + settings.feature_wait + 1), 4u);
  EXPECT_EQ(rewarder().forget(start + unknown_reward_wait + 1), 4u);
  EXPECT_EQ(push(5, .1, start), PushStatus::stored);
}

TEST_F(LiveClock, IdsAreForgotten) {
  settings.mode = LiveMode::frozen;
  begin();
  const auto decide = [&](unsigned event, LiveTime now) {
    ask(event, 1, now);
    (void)service->run(now);
  };
  decide(1, start + 1000 * hour);
  for (unsigned i = 2; i < 6; ++i) decide(i, start);
  (void)party().forget(start);
  (void)party().forget(start + settings.remember);
  EXPECT_FALSE(party().view(live_event(1)));
  EXPECT_FALSE(party().view(live_event(2)));
}

TEST_F(LiveClock, ManyIdsOfAClockThatWasAheadAreForgotten) {
  settings.mode = LiveMode::frozen;
  begin();
  for (unsigned event = 1; event <= 100; ++event) {
    ask(event, 1, start + 1000 * hour);
    (void)service->run(start + 1000 * hour);
  }
  for (unsigned event = 101; event <= 103; ++event) {
    ask(event, 1, start);
    (void)service->run(start);
  }
  const auto ahead = [&] {
    std::size_t count = 0;
    rows[1].each(LiveTable::batches, [&](const RowKey&, const LiveRow& row) {
      count += decode_batch_row(row)->at > start ? 1 : 0;
      return true;
    });
    return count;
  };
  ASSERT_EQ(ahead(), 100u);
  (void)party().forget(start);
  EXPECT_EQ(ahead(), 36u) << "as many as go into a transaction";
  EXPECT_TRUE(party().forgets_more());
  (void)restart(start);
  (void)party().forget(start);
  EXPECT_EQ(ahead(), 0u);
  EXPECT_FALSE(party().forgets_more());
  for (int turn = 0; turn < 2; ++turn) (void)party().forget(start + settings.remember);
  EXPECT_FALSE(party().view(live_event(1)));
  EXPECT_FALSE(party().view(live_event(100)));
}

}  // namespace
}  // namespace sotto::apps::live
