// What the actor does as roles end their numbers, die and come again.
#include "apps/live/roles/actor.h"

#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class ActorEpochs : public InService {};

// What has begun is lost with its epoch, and its batches are learned in the next one.
TEST_F(ActorEpochs, ALearnThatHasBegunBeginsAnewInTheNextEpoch) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  const LiveTime due = start + settings.reward_wait;
  ASSERT_TRUE(service->next(due)->begin);
  ask(2, 1, due);
  EXPECT_EQ(service->run(due).size(), 1u);
  service->end_rounds();
  service->leave_epoch();
  (void)service->open(due);
  EXPECT_EQ(actor().beside(), nullptr);
  EXPECT_EQ(post(1, 1, due), RewardStatus::late) << "its batch stays closed";
  const auto learn = service->propose(due);
  ASSERT_TRUE(learn);
  EXPECT_THAT(learn->batches, ElementsAre(1u));
  (void)service->finish(due);
  EXPECT_EQ(actor().book().last().learned, 1u);
}

// The parties have done the number, the actor died before its write: the same arm, and its own call again.
TEST_F(ActorEpochs, ANumberIsRestated) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, start);
  service = std::make_unique<FiveRoles>(five(), settings, peers);
  EXPECT_TRUE(service->open(start).empty()) << "its call was in the memory that is gone";
  EXPECT_EQ(actor().find(live_event(1))->answer->arm, FiveRoles::told_arm);
  EXPECT_EQ(actor().ask(live_request(1), start).answer->number, 1u);
  DecisionRequest other = live_request(1);
  other.barred = {2};
  EXPECT_EQ(actor().ask(other, start).status, AskStatus::conflict);
  (void)service->run(start + settings.reward_wait);
  EXPECT_EQ(service->arms.at(0), FiveRoles::told_arm);
}

// The same while the actor lives: the call waits, and is answered once all are ready.
TEST_F(ActorEpochs, ACallThatWaitsGetsWhatIsRestated) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, start);
  service->leave_epoch();
  EXPECT_THAT(service->open(start), ElementsAre(LiveAnswer{live_event(1), DecisionState::decided, 1, 1}));
}

TEST_F(ActorEpochs, ArmsThatWereSeenAndRolledBackCountAsRepeated) {
  begin();
  ask(1, 2, start);
  ASSERT_TRUE(service->propose(start));
  (void)service->prepare(0, start);
  actor().set_arms({1, 1, 1, 1});
  service->leave_epoch();
  EXPECT_EQ(actor().repeated(), 2u);
  (void)service->open(start);
  EXPECT_EQ(service->run(start).size(), 2u);
  (void)restart(start);
  EXPECT_EQ(actor().repeated(), 2u + 4) << "what the one before had seen is not known: a batch of the largest size";
}

TEST_F(ActorEpochs, RefusesDoneOfAnotherNumber) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  const DoneFrame done = service->prepare(0, start);
  EXPECT_THROW((void)actor().done(0, DoneFrame{2, done.digest}), ProtocolError);
  EXPECT_FALSE(actor().done(0, done));
  EXPECT_THROW((void)actor().done(0, done), ProtocolError);
  EXPECT_THROW((void)actor().done(1, DoneFrame{1, net::sha256("other")}), ProtocolError);
}

TEST_F(ActorEpochs, RefusesAnotherEntryOfTheRewarder) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  EXPECT_THAT(error_of<ProtocolError>([&] {
                return actor().done(3, DoneFrame{1, net::sha256("other")});
              }),
              HasSubstr("the rewarder has done another entry"));
}

TEST_F(ActorEpochs, SaysOnceThatANumberIsSettled) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  EXPECT_FALSE(actor().settle(start + settle_wait - 1));
  const auto settled = actor().settle(start + settle_wait);
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->number, 1u);
  party().settle(*settled);
  rewarder().settle(*settled);
  EXPECT_FALSE(actor().settle(start + 2 * settle_wait));
  EXPECT_THROW(party().settle(SettledFrame{2, settled->id}), ProtocolError);
}

// A full disk: what was not written was not told, and the roles go on from their rows.
TEST_F(ActorEpochs, AFullDiskTellsNothing) {
  begin();
  ask(1, 1, start);
  rows[0].fail_next();
  EXPECT_THROW((void)actor().pass_deadlines(start + 5000), ResourceError);
  (void)restart(start + 5000);
  EXPECT_FALSE(actor().find(live_event(1)));
  ask(1, 1, start + 5000);
  EXPECT_EQ(service->run(start + 5000).size(), 1u);
}

TEST_F(ActorEpochs, EpochsGoUpAndFit) {
  begin();
  EXPECT_THROW(actor().open(LiveOpening{1, 0, {}}, {}, {}, start), DisagreementError);
  EXPECT_THROW(actor().open(LiveOpening{9, 2, {}}, {}, {}, start), DisagreementError);
  EXPECT_THROW(actor().open(LiveOpening{9, 1, {}}, {}, {}, start), ProtocolError) << "nobody restates it";
}

}  // namespace
}  // namespace sotto::apps::live
