#include <limits>

#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class LiveRewarderTest : public InService {};

TEST_F(LiveRewarderTest, LearnsWhatWasAcknowledged) {
  begin();
  ask(1, 3, start);
  (void)service->run(start);
  EXPECT_EQ(post(1, 1, start), RewardStatus::used);
  EXPECT_EQ(post(1, 1, start), RewardStatus::duplicate);
  EXPECT_EQ(post(1, .5, start), RewardStatus::conflict);
  EXPECT_EQ(post(1, .5, start, "b"), RewardStatus::duplicate) << "the earliest counts";
  EXPECT_EQ(post(2, -.5, start, "a"), RewardStatus::used);
  EXPECT_EQ(post(2, std::numeric_limits<double>::quiet_NaN(), start), RewardStatus::invalid);
  EXPECT_EQ(post(2, 1.5, start), RewardStatus::invalid);
  EXPECT_EQ(post(2, 1, start, std::string(65, 'a')), RewardStatus::invalid);
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  EXPECT_EQ(post(3, 1, start), RewardStatus::late);
  EXPECT_EQ(post(1, 1, start), RewardStatus::duplicate);
  (void)service->finish(start + settings.reward_wait);
  EXPECT_THAT(service->rewards, ElementsAre(LearnedReward{1, true}, LearnedReward{-.5, true}, LearnedReward{0, true}));
  EXPECT_EQ(post(3, 1, start), RewardStatus::late);
  (void)restart(start);
  EXPECT_EQ(post(3, 1, start), RewardStatus::late);
  EXPECT_EQ(post(2, -.5, start, "a"), RewardStatus::duplicate);
}

TEST_F(LiveRewarderTest, AClosedBatchStaysClosed) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  (void)restart(start);
  EXPECT_EQ(post(1, 1, start), RewardStatus::late);
}

TEST_F(LiveRewarderTest, WithoutADefaultAnEventIsLeftOut) {
  settings.default_reward.reset();
  begin();
  ask(1, 2, start);
  (void)service->run(start);
  (void)post(2, .5, start);
  (void)service->run(start + settings.reward_wait);
  EXPECT_THAT(service->rewards, ElementsAre(LearnedReward{0, false}, LearnedReward{.5, true}));
}

TEST_F(LiveRewarderTest, SumsAndClips) {
  settings.aggregation = RewardAggregation::sum;
  begin();
  ask(1, 2, start);
  (void)service->run(start);
  EXPECT_EQ(post(1, .5, start), RewardStatus::invalid) << "without an id";
  EXPECT_EQ(post(1, .75, start, "a"), RewardStatus::used);
  EXPECT_EQ(post(1, .75, start, "b"), RewardStatus::used);
  EXPECT_EQ(post(1, .75, start, "a"), RewardStatus::duplicate);
  EXPECT_EQ(post(2, .25, start, "a"), RewardStatus::used);
  EXPECT_EQ(post(2, .5, start, "b"), RewardStatus::used);
  (void)service->run(start + settings.reward_wait);
  EXPECT_THAT(service->rewards, ElementsAre(LearnedReward{1, true, true}, LearnedReward{.75, true}));
  EXPECT_EQ(rewarder().book().last().tally.clipped, 1u);
}

TEST_F(LiveRewarderTest, CountsWhatIsLearnedOnce) {
  begin();
  rewarder().begin_figures(start);
  ask(1, 2, start);
  (void)service->run(start);
  (void)post(1, .5, start);
  (void)post(1, .25, start, "other");
  const LiveTime due = start + settings.reward_wait;
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(service->next(due)->begin);
    EXPECT_EQ(rewarder().learned_rewards().size(), 2u);
    EXPECT_EQ(rewarder().book().last().tally.rewards_learned, 0u);
    (void)restart(due);
  }
  ASSERT_TRUE(service->propose(due));
  (void)rewarder().prepare(due);
  EXPECT_EQ(rewarder().book().last().tally.rewards_learned, 2u);
  (void)restart(due);
  EXPECT_EQ(rewarder().book().last().tally.rewards_learned, 0u);
  (void)service->run(due);
  ask(3, 1, due);
  (void)service->run(due);
  (void)post(3, -.25, due);
  ASSERT_TRUE(service->propose(due + settings.reward_wait));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, due);
  (void)restart(due);
  rewarder().begin_figures(due);
  const OrderTally& tally = rewarder().book().last().tally;
  EXPECT_EQ(tally.rewards_learned, 3u);
  EXPECT_EQ(tally.reward_sum, .25);
  EXPECT_EQ(tally.learns, 2u);
  EXPECT_EQ(tally.model, 4u);
  EXPECT_EQ(rewarder().figures().since, start);
  EXPECT_EQ(rewarder().figures().rewards.at(static_cast<std::size_t>(RewardStatus::used)), 2u);
  EXPECT_EQ(rewarder().figures().rewards.at(static_cast<std::size_t>(RewardStatus::duplicate)), 1u);
}

TEST_F(LiveRewarderTest, TakesTheLargestOfSome) {
  settings.aggregation = RewardAggregation::max;
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  for (const double value : {-.5, .25, -.75})
    EXPECT_EQ(post(1, value, start, std::to_string(value)), RewardStatus::used);
  (void)service->run(start + settings.reward_wait);
  EXPECT_THAT(service->rewards, ElementsAre(LearnedReward{.25, true}));
}

TEST_F(LiveRewarderTest, RewardsOfAnEventAreBounded) {
  settings.aggregation = RewardAggregation::sum;
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  for (std::size_t i = 0; i < most_rewards; ++i) EXPECT_EQ(post(1, .1, start, std::to_string(i)), RewardStatus::used);
  EXPECT_EQ(post(1, .1, start, "more"), RewardStatus::invalid);
}

TEST_F(LiveRewarderTest, RewardsOfUnknownEventsWaitAWhile) {
  begin();
  EXPECT_EQ(post(1, 1, start), RewardStatus::unknown);
  EXPECT_EQ(post(1, 1, start), RewardStatus::duplicate);
  EXPECT_EQ(post(2, 1, start), RewardStatus::unknown);
  (void)restart(start);
  ask(1, 1, start);
  (void)service->run(start);
  EXPECT_EQ(rewarder().forget(start + unknown_reward_wait), 0u);
  EXPECT_EQ(rewarder().forget(start + unknown_reward_wait + 1), 1u) << "that of event 2";
  (void)service->run(start + settings.reward_wait);
  EXPECT_THAT(service->rewards, ElementsAre(LearnedReward{1, true}));
}

TEST_F(LiveRewarderTest, ARewardOutlivesARollback) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  (void)rewarder().prepare(start);
  EXPECT_EQ(post(1, .5, start), RewardStatus::used);
  service->leave_epoch();
  (void)service->open(start);
  (void)service->run(start);
  EXPECT_EQ(post(1, .5, start), RewardStatus::duplicate);
  (void)service->run(start + settings.reward_wait);
  EXPECT_THAT(service->rewards, ElementsAre(LearnedReward{.5, true}));
}

class LearningEnd : public InService {
 protected:
  ActivateStatus activate(unsigned event) {
    const std::vector<EventId> events{live_event(event)};
    return actor().activate(events).front();
  }
  void ask_inactive(unsigned event) {
    DecisionRequest request = live_request(event);
    request.activate = false;
    EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
  }
};

// Only four events can be learned. The next batch of two events does not fit, and no later batch is learned either.
TEST_F(LearningEnd, WhatDoesNotFitIsNotLearned) {
  settings.most_learned = 4;
  begin();
  for (const unsigned first : {1U, 4U, 6U}) {
    for (unsigned event = first; event < first + (first == 1 ? 3 : first == 4 ? 2 : 1); ++event) ask_inactive(event);
    (void)service->run(start);
  }
  EXPECT_FALSE(actor().book().learning_has_ended());
  for (const unsigned event : {4U, 5U, 6U}) {
    EXPECT_EQ(post(event, 1, start), RewardStatus::not_learned) << event;
    EXPECT_EQ(activate(event), ActivateStatus::not_learned) << event;
  }
  EXPECT_EQ(post(1, 1, start), RewardStatus::used);
  EXPECT_EQ(activate(1), ActivateStatus::active);
  (void)service->run(start + settings.reward_wait);
  for (const OrderBook* book : {&actor().book(), &party().book(), &rewarder().book()}) {
    EXPECT_TRUE(book->learning_has_ended());
  }
  EXPECT_EQ(post(2, 1, start), RewardStatus::late);
  EXPECT_EQ(activate(2), ActivateStatus::late);
  EXPECT_EQ(post(4, 1, start), RewardStatus::not_learned);
  (void)restart(start + settings.reward_wait);
  EXPECT_TRUE(rewarder().book().learning_has_ended());
  EXPECT_EQ(post(4, 1, start), RewardStatus::not_learned);
  EXPECT_EQ(post(2, 1, start), RewardStatus::late);
}

TEST_F(LearningEnd, WhatIsJustLearnedTakesItsRoomOnce) {
  settings.most_learned = 3;
  begin();
  ask(1, 2, start);
  (void)service->run(start);
  ask(3, 1, start + 5000);
  (void)service->run(start + 5000);
  (void)service->run(start + settings.reward_wait);
  EXPECT_EQ(rewarder().book().last().learned, 2u);
  EXPECT_EQ(rewarder().pending(), 3u) << "until a later number is done";
  EXPECT_EQ(post(3, 1, start), RewardStatus::used);
  EXPECT_FALSE(rewarder().book().learning_has_ended());
  EXPECT_TRUE(rewarder().view(live_event(1))->learned);
}

TEST_F(LearningEnd, WhatIsDecidedFrozenIsNotLearned) {
  settings.mode = LiveMode::frozen;
  begin();
  ask_inactive(1);
  (void)service->run(start);
  EXPECT_EQ(post(1, 1, start), RewardStatus::not_learned);
  EXPECT_EQ(activate(1), ActivateStatus::not_learned);
  EXPECT_FALSE(rewarder().view(live_event(1))->learned);
  EXPECT_FALSE(actor().view(live_event(1))->learned);
  EXPECT_FALSE(party().view(live_event(1))->learned);
  EXPECT_FALSE(actor().book().learning_has_ended());
}

}  // namespace
}  // namespace sotto::apps::live
