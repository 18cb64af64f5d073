#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class ForgottenIds : public InService {
 protected:
  static constexpr std::size_t actor_disk = 0, rewarder_disk = 3;

  void begin_and_learn() {
    begin();
    (void)push(1, .25, start);
    ask(1, 2, start);
    (void)service->run(start);
    EXPECT_EQ(post(1, 1, start), RewardStatus::used);
    (void)service->run(start + settings.reward_wait);
    for (unsigned i = 0; i < 3; ++i) {
      ask(50 + i, 1, later);
      (void)service->run(later);
    }
  }
  void forget(std::size_t disk, unsigned event) {
    rows[disk].commit({{key_of(LiveTable::events, live_event(event)), std::nullopt},
                       {key_of(LiveTable::batches, OrderNumber{1}), std::nullopt},
                       {key_of(LiveTable::used, OrderNumber{1}), std::nullopt}});
  }

  const LiveTime later = start + 2 * settings.reward_wait;
  const LiveAnswer refused{live_event(1), DecisionState::lost, 0, 6};
  const LiveAnswer told{live_event(9), DecisionState::decided, FiveRoles::told_arm, 6};
};

TEST_F(ForgottenIds, APartyRefusesTheEventAndNotTheEpoch) {
  begin_and_learn();
  forget(actor_disk, 1);
  ask(1, 1, later);
  ask(9, 1, later);
  ASSERT_TRUE(service->propose(later));
  EXPECT_THAT(party().freeze(start).front(), (FeatureValues{.5, .5})) << "not what was pushed for its decision";
  EXPECT_THAT(service->finish(later), ElementsAre(refused, told));
  EXPECT_EQ(party().book().last().tally.missing, 5u) << "of 2, 50, 51, 52 and 9";
  EXPECT_EQ(actor().ask(live_request(1), later).status, AskStatus::already_decided);
  EXPECT_EQ(actor().queued(), 0u) << "it is not proposed again";
  EXPECT_EQ(party().view(live_event(1))->number, 1u);
  const std::optional<std::uint16_t> one = 1;
  (void)service->run(later + settings.reward_wait);
  ASSERT_TRUE(service->propose(later + settings.reward_wait + learn_pause));
  EXPECT_THAT(service->arms, ElementsAre(std::nullopt, one));
  (void)service->finish(later + settings.reward_wait + learn_pause);
  EXPECT_EQ(actor().ask(live_request(1), later).status, AskStatus::already_decided);
}

TEST_F(ForgottenIds, OnePartyIsEnough) {
  begin_and_learn();
  for (const std::size_t disk : {actor_disk, std::size_t{1}, rewarder_disk}) forget(disk, 1);
  ask(1, 1, later);
  ask(9, 1, later);
  EXPECT_THAT(service->run(later), ElementsAre(refused, told));
  EXPECT_EQ(party(0).view(live_event(1))->number, 6u);
  EXPECT_EQ(party(1).view(live_event(1))->number, 1u);
}

TEST_F(ForgottenIds, ARestatedNumberHasItsRefusals) {
  begin_and_learn();
  forget(actor_disk, 1);
  ask(1, 1, later);
  ask(9, 1, later);
  ASSERT_TRUE(service->propose(later));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, later);
  (void)rewarder().prepare(later);
  (void)restart(later);
  EXPECT_EQ(actor().ask(live_request(1), later).status, AskStatus::already_decided);
  EXPECT_EQ(actor().ask(live_request(9), later).answer, told);
}

TEST_F(ForgottenIds, ARolledBackRefusalChangesNothing) {
  begin_and_learn();
  forget(actor_disk, 1);
  ask(1, 1, later);
  ask(9, 1, later);
  ASSERT_TRUE(service->propose(later));
  (void)service->prepare(0, later);
  service->leave_epoch();
  (void)service->open(later);
  EXPECT_EQ(party().view(live_event(1))->number, 1u);
  EXPECT_THAT(service->run(later), ElementsAre(refused, told));
}

TEST_F(ForgottenIds, TheRewarderTakesItForANewOne) {
  begin_and_learn();
  for (const std::size_t disk : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) forget(disk, 1);
  ask(1, 1, later);
  EXPECT_THAT(service->run(later), ElementsAre(LiveAnswer{live_event(1), DecisionState::decided, 1, 6}));
  EXPECT_EQ(post(1, -.5, later), RewardStatus::used);
  EXPECT_EQ(rewarder().forget(later + settings.remember - 1), 0u);
  EXPECT_FALSE(rewarder().view(live_event(2)));
  ASSERT_TRUE(service->propose(later + settings.reward_wait));
  EXPECT_EQ(service->rewards.back(), (LearnedReward{-.5, true}));
}

TEST_F(ForgottenIds, APendingEventIsLearnedOnce) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  EXPECT_EQ(post(1, 1, start), RewardStatus::used);
  rows[actor_disk].commit({{key_of(LiveTable::events, live_event(1)), std::nullopt}});
  ask(1, 1, start);
  EXPECT_THAT(service->run(start), ElementsAre(LiveAnswer{live_event(1), DecisionState::lost, 0, 2}));
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  EXPECT_THAT(service->rewards, ElementsAre(LearnedReward{1, true}, LearnedReward{0, true}));
  EXPECT_THAT(service->arms, ElementsAre(std::nullopt, std::nullopt));
}

TEST_F(ForgottenIds, TheActorTakesRefusalsOfPartiesAlone) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  DoneFrame done = service->prepare(0, start);
  done.refused = {1};
  EXPECT_THROW((void)actor().done(0, done), ProtocolError) << "there is one event";
  DoneFrame of_rewarder = rewarder().prepare(start);
  of_rewarder.refused = {0};
  EXPECT_THROW((void)actor().done(3, of_rewarder), ProtocolError);
}

}  // namespace
}  // namespace sotto::apps::live
