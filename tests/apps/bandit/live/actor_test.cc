// The life of an event at the actor.
#include "sotto/apps/bandit/live/roles/actor.h"

#include "tests/apps/bandit/live/service.h"

namespace sotto::apps {
namespace {

using namespace testing;

class Actor : public InService {};

TEST_F(Actor, TellsAnArmOnceAndForEver) {
  begin();
  ask(1, 2, start);
  const auto answers = service->run(start);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0], (LiveAnswer{live_event(1), DecisionState::decided, LiveService::told_arm, 1}));
  EXPECT_EQ(actor().ask(live_request(1), start).answer, answers[0]);
  EXPECT_EQ(actor().find(live_event(2))->answer, answers[1]);
  (void)restart(start + 1);
  EXPECT_EQ(actor().ask(live_request(1), start + 1).answer, answers[0]);
  EXPECT_FALSE(actor().find(live_event(3)));
}

TEST_F(Actor, AnotherBodyIsAConflict) {
  begin();
  ask(1, 1, start);
  DecisionRequest other = live_request(1);
  other.barred = {2};
  EXPECT_EQ(actor().ask(other, start).status, AskStatus::conflict);
  (void)service->run(start);
  EXPECT_EQ(actor().ask(other, start).status, AskStatus::conflict);
  EXPECT_EQ(actor().ask(live_request(1), start).status, AskStatus::answered);
}

TEST_F(Actor, TheDeadlineGivesTheBaselineAndNothingElseLater) {
  begin();
  DecisionRequest quick = live_request(1);
  quick.deadline = 50;
  EXPECT_EQ(actor().ask(quick, start).status, AskStatus::pending);
  ask(2, 1, start);
  EXPECT_EQ(actor().next_deadline(), start + 50);
  ASSERT_TRUE(service->propose(start));
  EXPECT_TRUE(actor().pass_deadlines(start + 49).baselines.empty());
  const PassedDeadlines passed = actor().pass_deadlines(start + 50);
  ASSERT_EQ(passed.baselines.size(), 1u);
  EXPECT_EQ(passed.baselines[0], (LiveAnswer{live_event(1), DecisionState::baseline, 0, 0}));
  // The batch goes on: the event is in it, and is not told again.
  EXPECT_THAT(service->finish(start + 60), ElementsAre(LiveAnswer{live_event(2), DecisionState::decided, 1, 1}));
  EXPECT_EQ(actor().ask(quick, start + 70).answer->state, DecisionState::baseline);
  // Its one-hot is zero.
  ASSERT_TRUE(service->propose(start + 60 + settings.reward_wait));
  (void)service->finish(start + 60 + settings.reward_wait);
  EXPECT_THAT(service->arms, ElementsAre(std::nullopt, std::optional<std::uint16_t>(1)));
}

// Its batch is due, and the dealer is at it.
TEST_F(Actor, ALearnBeginsSomeTimeAfterItIsPlanned) {
  peers.learn_head_start = 30;
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  const LiveTime due = start + settings.reward_wait;
  EXPECT_FALSE(service->propose(due));
  EXPECT_EQ(actor().next_turn(), due + 30);
  EXPECT_FALSE(service->propose(due + 29));
  const auto entry = service->propose(due + 30);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->shape.kind, EntryKind::learn);
  (void)service->finish(due + 30);
}

TEST_F(Actor, WhatFillsALearnDoesNotWaitForIt) {
  peers.learn_head_start = 30;
  begin();
  ask(1, settings.largest_batch(), start);
  (void)service->run(start);
  const auto entry = service->propose(start + settings.reward_wait);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->shape.kind, EntryKind::learn);
  (void)service->finish(start + settings.reward_wait);
}

TEST_F(Actor, WithoutABaselineThereIsNoAnswer) {
  settings.baseline_arm.reset();
  begin();
  ask(1, 1, start);
  const PassedDeadlines passed = actor().pass_deadlines(start + settings.decision_deadline);
  EXPECT_THAT(passed.unanswered, ElementsAre(live_event(1)));
  EXPECT_FALSE(actor().find(live_event(1)));
  // Asked again it is decided.
  ask(1, 1, start + 2000);
  EXPECT_EQ(service->run(start + 2000).size(), 1u);
}

TEST_F(Actor, BoundsItsQueueAndDrains) {
  settings.max_queue = 3;
  begin();
  ask(1, 3, start);
  EXPECT_EQ(actor().ask(live_request(4), start).status, AskStatus::queue_full);
  actor().set_draining(true);
  EXPECT_EQ(actor().ask(live_request(4), start).status, AskStatus::draining);
  EXPECT_EQ(actor().ask(live_request(3), start).status, AskStatus::pending) << "it waits since before";
  EXPECT_FALSE(actor().is_drained());
  (void)service->run(start);
  EXPECT_TRUE(actor().is_drained());
}

TEST_F(Actor, RefusesRequestsThatNobodyCanMeet) {
  begin();
  const auto status = [&](auto change) {
    DecisionRequest request = live_request(1);
    change(request);
    return actor().ask(request, start).status;
  };
  EXPECT_EQ(status([](auto& r) { r.barred = {3}; }), AskStatus::invalid);
  EXPECT_EQ(status([](auto& r) { r.barred = {0, 1, 2}; }), AskStatus::invalid);
  EXPECT_EQ(status([](auto& r) { r.barred = {1, 1}; }), AskStatus::invalid);
  EXPECT_EQ(status([](auto& r) { r.own_arm = 3; }), AskStatus::invalid);
  EXPECT_EQ(status([](auto& r) { r.subject = "a b"; }), AskStatus::invalid);
  EXPECT_EQ(status([](auto& r) { r.subject = std::string(65, 'a'); }), AskStatus::invalid);
  EXPECT_EQ(status([](auto& r) { r.barred = {0, 1}; }), AskStatus::pending);
}

TEST_F(Actor, SubjectsAndBarredArmsTravelWithTheEntry) {
  begin();
  DecisionRequest request = live_request(1);
  request.subject = "p-1";
  request.barred = {2, 0};
  (void)actor().ask(request, start);
  ask(2, 1, start);
  const auto entry = service->propose(start);
  ASSERT_TRUE(entry);
  EXPECT_THAT(entry->subjects, ElementsAre("p-1", "-"));
  EXPECT_THAT(entry->barred, ElementsAre(BarredArm{0, 0}, BarredArm{0, 2}));
}

TEST_F(Actor, ActivatesUntilTheLearnBegins) {
  begin();
  DecisionRequest request = live_request(1);
  request.activate = false;
  (void)actor().ask(request, start);
  request.event = live_event(2);
  (void)actor().ask(request, start);
  const auto activate = [&](unsigned event) {
    const std::vector<EventId> events{live_event(event)};
    return actor().activate(events).front();
  };
  EXPECT_EQ(activate(1), ActivateStatus::not_decided);
  EXPECT_EQ(activate(9), ActivateStatus::unknown);
  (void)service->run(start);
  EXPECT_EQ(activate(1), ActivateStatus::active);
  EXPECT_EQ(activate(1), ActivateStatus::active);
  ASSERT_TRUE(service->propose(start + settings.reward_wait));
  EXPECT_EQ(activate(2), ActivateStatus::late);
  (void)service->finish(start + settings.reward_wait);
  EXPECT_THAT(service->arms, ElementsAre(std::optional<std::uint16_t>(1), std::nullopt));
  EXPECT_EQ(activate(1), ActivateStatus::active);
  EXPECT_EQ(activate(2), ActivateStatus::late);
}

TEST_F(Actor, AnApprenticeTellsTheCallersArm) {
  settings.mode = LiveMode::apprentice;
  begin();
  EXPECT_EQ(actor().ask(live_request(1), start).status, AskStatus::lacks_own_arm);
  DecisionRequest request = live_request(1);
  request.own_arm = 2;
  EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
  EXPECT_THAT(service->run(start), ElementsAre(LiveAnswer{live_event(1), DecisionState::decided, 2, 1}));
  (void)service->run(start + settings.reward_wait);
  EXPECT_THAT(service->arms, ElementsAre(std::optional<std::uint16_t>(2)));
}

TEST_F(Actor, ForgetsIdsAfterTheirTime) {
  begin();
  ask(1, 1, start);
  (void)service->run(start);
  (void)service->run(start + settings.reward_wait);
  ask(2, 1, start + 20'000);
  EXPECT_EQ(actor().pass_deadlines(start + 30'000).baselines.size(), 1u);
  for (unsigned i = 0; i < 3; ++i) {
    ask(100 + i, 1, start + 40'000);
    (void)service->run(start + 40'000);
  }
  const LiveTime remember = settings.remember + actor_remembers_longer;
  actor().forget(start + remember - 1);
  EXPECT_TRUE(actor().find(live_event(1))) << "the parties have long forgotten it";
  actor().forget(start + remember);
  EXPECT_FALSE(actor().find(live_event(1)));
  EXPECT_TRUE(actor().find(live_event(2)));
  actor().forget(start + 30'000 + remember);
  EXPECT_FALSE(actor().find(live_event(2)));
  EXPECT_TRUE(actor().find(live_event(100))) << "not learned";
}

TEST_F(Actor, ForgetsManyBaselinesInSeveralTurns) {
  settings.max_queue = 6000;
  begin();
  ask(1, 5000, start);
  EXPECT_EQ(actor().pass_deadlines(start + 10'000).baselines.size(), 5000u);
  const auto baselines = [&] {
    std::size_t count = 0;
    rows[0].each(LiveTable::events, [&](const RowKey&, const LiveRow&) { return ++count > 0; });
    return count;
  };
  const LiveTime later = start + 10'000 + settings.remember + actor_remembers_longer;
  actor().forget(later);
  EXPECT_GT(baselines(), 0u);
  EXPECT_LT(baselines(), 5000u);
  for (int turn = 0; turn < 4; ++turn) actor().forget(later);
  EXPECT_EQ(baselines(), 0u);
}

}  // namespace
}  // namespace sotto::apps
