#include "apps/live/roles/actor.h"
#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class ActorOrder : public InService {};

TEST_F(ActorOrder, LearnsWhileNobodyWaits) {
  settings.batch_sizes = {1, 4};
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  const LiveTime due = start + settings.reward_wait;
  const auto kind_of_next = [&](LiveTime now) {
    const auto entry = service->propose(now);
    EXPECT_TRUE(entry);
    (void)service->finish(now);
    return entry->shape.kind;
  };
  for (unsigned i = 0; i < 12; ++i) {
    ask(10 + i, 1, due);
    EXPECT_EQ(kind_of_next(due + learn_patience - 1), EntryKind::decide);
  }
  std::map<EntryKind, unsigned> done;
  for (unsigned i = 0; i < 12; ++i) {
    ask(30 + i, 1, due + learn_patience);
    ++done[kind_of_next(due + learn_patience)];
  }
  EXPECT_EQ(done[EntryKind::learn], 1u) << "of the one batch that is due";
  EXPECT_EQ(done[EntryKind::decide], 11u);
}

TEST_F(ActorOrder, DecidesBesideALearn) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  const LiveTime due = start + settings.reward_wait;
  const auto begun = service->next(due);
  ASSERT_TRUE(begun && begun->begin);
  EXPECT_THAT(begun->begin->batches, ElementsAre(1u));
  EXPECT_FALSE(service->propose(due)) << "there is nothing else to do";
  const auto decide = [&](unsigned event) {
    ask(event, 1, due);
    const auto entry = service->propose(due);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->shape.kind, EntryKind::decide);
    EXPECT_EQ(service->finish(due).size(), 1u);
  };
  for (unsigned i = 2; i < 8; ++i) decide(i);
  service->end_rounds();
  EXPECT_EQ(party().model(), std::nullopt) << "its number is not done";
  decide(8);
  ask(9, 1, due);
  const auto learn = service->propose(due);
  ASSERT_TRUE(learn);
  EXPECT_TRUE(is_of(*learn, *begun->begin));
  EXPECT_EQ(learn->number, 9u);
  (void)service->finish(due);
  EXPECT_THAT(service->arms, ElementsAre(std::optional<std::uint16_t>(1)));
  EXPECT_EQ(actor().book().last().learned, 1u);
  EXPECT_EQ(actor().concurrent(), nullptr);
  EXPECT_EQ(service->propose(due)->shape.kind, EntryKind::decide);
}

TEST_F(ActorOrder, OtherNumbersWaitForALearnThatHasBegun) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  const LiveTime due = start + settings.reward_wait;
  ASSERT_TRUE(service->next(due)->begin);
  actor().change_mode(LiveMode::frozen);
  actor().take_snapshot();
  EXPECT_FALSE(service->propose(due));
  service->end_rounds();
  EXPECT_EQ(service->propose(due)->shape.kind, EntryKind::learn);
  (void)service->finish(due);
  EXPECT_EQ(service->propose(due)->shape.kind, EntryKind::mode);
  (void)service->finish(due);
  EXPECT_EQ(service->propose(due)->shape.kind, EntryKind::snapshot);
  (void)service->finish(due);
}

TEST_F(ActorOrder, RefusesRoundsThatCannotHaveEnded) {
  begin();
  EXPECT_THROW(actor().ran(0, RanFrame{1}), ProtocolError);
  ask(1, 1, start);
  (void)service->run(start);
  const auto begun = service->next(start + settings.reward_wait);
  ASSERT_TRUE(begun && begun->begin);
  EXPECT_THROW(actor().ran(0, RanFrame{begun->begin->program + 1}), ProtocolError);
  actor().ran(0, RanFrame{begun->begin->program});
  EXPECT_THROW(actor().ran(0, RanFrame{begun->begin->program}), ProtocolError);
  EXPECT_FALSE(service->propose(start + settings.reward_wait)) << "not at all roles";
}

TEST_F(ActorOrder, PlansLaterWhereThereIsTime) {
  settings.batch_sizes = {1};
  settings.deal_ahead = 4;
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  EXPECT_TRUE(actor().can_plan_later()) << "three are left";
  (void)service->finish(start);
  ask(2, 2, start);
  ASSERT_TRUE(service->propose(start));
  EXPECT_FALSE(actor().can_plan_later()) << "an event waits";
}

TEST_F(ActorOrder, LearnsAtMostSoOften) {
  settings.batch_sizes = {1, 4};
  begin();
  const auto due = [&](unsigned i) { return start + 100 * i + settings.reward_wait; };
  for (unsigned i = 0; i < 4; ++i) {
    ask(1 + i, 1, start + 100 * i);
    (void)service->run(start + 100 * i);
  }
  ASSERT_TRUE(service->propose(due(0)));
  EXPECT_EQ(actor().running()->batches.size(), 1u);
  (void)service->finish(due(0));
  EXPECT_EQ(actor().next_turn(), due(0) + learn_pause);
  EXPECT_FALSE(service->propose(due(2)));
  EXPECT_FALSE(service->propose(due(0) + learn_pause - 1));
  ASSERT_TRUE(service->propose(due(0) + learn_pause));
  EXPECT_EQ(actor().running()->batches.size(), 2u);
}

TEST_F(ActorOrder, HiddenPaddingFillsTheBatch) {
  settings.padding = LivePadding::hidden;
  unsigned next = 900;
  peers.padding_event = [&] { return live_event(next++); };
  begin();
  ask(1, 3, start);
  const auto entry = service->propose(start);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->events.size(), 4u);
  EXPECT_EQ(service->finish(start).size(), 3u);
  EXPECT_FALSE(actor().find(live_event(900))) << "nobody asked for it";
  (void)service->run(start + settings.reward_wait);
  EXPECT_EQ(service->arms.at(3), std::nullopt);
}

TEST_F(ActorOrder, WaitsForABatchToFill) {
  settings.batch_wait = 30;
  begin();
  ask(1, 1, start);
  EXPECT_FALSE(service->propose(start + 29));
  ASSERT_TRUE(service->propose(start + 30));
  (void)service->finish(start + 30);
  ask(2, 4, start + 40);
  EXPECT_TRUE(service->propose(start + 40)) << "as many as the largest batch has";
}

TEST_F(ActorOrder, ACadenceDecidesWhateverHasCome) {
  settings.cadence = 100;
  settings.padding = LivePadding::hidden;
  unsigned next = 900;
  peers.padding_event = [&] { return live_event(next++); };
  begin();
  const auto entry = service->propose(start);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->shape, (ProgramShape{EntryKind::decide, 4}));
  EXPECT_EQ(entry->events.size(), 4u);
  (void)service->finish(start);
  ask(1, 1, start + 10);
  EXPECT_FALSE(service->propose(start + 99));
  ASSERT_TRUE(service->propose(start + 100));
  EXPECT_EQ(service->finish(start + 100).size(), 1u);
}

TEST_F(ActorOrder, PendingEventsAreBounded) {
  settings.max_pending = 4;
  begin();
  ask(1, 4, start);
  EXPECT_EQ(service->run(start).size(), 4u);
  ask(5, 1, start);
  EXPECT_FALSE(service->propose(start + 1));
  (void)service->run(start + settings.reward_wait);
  EXPECT_TRUE(service->propose(start + settings.reward_wait));
}

TEST_F(ActorOrder, ChangesTheModeInTheOrder) {
  begin();
  actor().change_mode(LiveMode::frozen);
  ask(1, 1, start);
  auto entry = service->propose(start);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->shape.kind, EntryKind::mode);
  (void)service->finish(start);
  EXPECT_EQ(party().mode(), LiveMode::frozen);
  EXPECT_EQ(rewarder().mode(), LiveMode::frozen);
  EXPECT_EQ(service->run(start).size(), 1u);
  EXPECT_EQ(actor().pending(), 0u) << "what is decided frozen is never learned";
  EXPECT_FALSE(service->propose(start + settings.reward_wait));
  (void)restart(start);
  EXPECT_EQ(actor().mode(), LiveMode::frozen);
}

TEST_F(ActorOrder, AFullModelIsFrozen) {
  settings.most_learned = 1;
  settings.batch_sizes = {1};
  begin();
  ask(1, 2, start);
  EXPECT_EQ(service->run(start).size(), 1u);
  EXPECT_EQ(service->run(start).size(), 1u);
  EXPECT_EQ(service->run(start + settings.reward_wait).size(), 0u);
  EXPECT_EQ(actor().book().last().learned, 1u);
  EXPECT_EQ(actor().pending(), 1u);
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  EXPECT_EQ(actor().running()->mode, LiveMode::frozen);
  (void)service->finish(start + settings.reward_wait);
  (void)restart(start + settings.reward_wait);
  EXPECT_FALSE(service->propose(start + settings.reward_wait));
  ask(5, 1, start + settings.reward_wait);
  EXPECT_EQ(service->run(start + settings.reward_wait).size(), 1u);
  EXPECT_EQ(actor().book().last().learned, 1u);
}

TEST_F(ActorOrder, RolesRefuseALearnBeyondTheModel) {
  settings.most_learned = 1;
  begin();
  ask(1, 2, start);
  (void)service->run(start);
  EXPECT_THAT(error_of<ProtocolError>([&] {
                rewarder().begin(BeginFrame{2, {EntryKind::learn, 4}, {1}});
                return 0;
              }),
              HasSubstr("than the numbers of the model are wide enough for"));
}

class ActorEpochs : public InService {};

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
  EXPECT_EQ(actor().concurrent(), nullptr);
  EXPECT_EQ(post(1, 1, due), RewardStatus::late) << "its batch stays closed";
  const auto learn = service->propose(due);
  ASSERT_TRUE(learn);
  EXPECT_THAT(learn->batches, ElementsAre(1u));
  (void)service->finish(due);
  EXPECT_EQ(actor().book().last().learned, 1u);
}

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

TEST_F(ActorEpochs, ACallThatWaitsGetsWhatIsRestated) {
  begin();
  ask(1, 1, start);
  ASSERT_TRUE(service->propose(start));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, start);
  service->leave_epoch();
  EXPECT_THAT(service->open(start), ElementsAre(LiveAnswer{live_event(1), DecisionState::decided, 1, 1}));
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
