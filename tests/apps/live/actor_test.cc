#include "apps/live/roles/actor.h"

#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

class Actor : public InService {};

TEST_F(Actor, TellsAnArmOnceAndForEver) {
  begin();
  ask(1, 2, start);
  const auto answers = service->run(start);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0], (LiveAnswer{live_event(1), DecisionState::decided, FiveRoles::told_arm, 1}));
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
  EXPECT_THAT(service->finish(start + 60), ElementsAre(LiveAnswer{live_event(2), DecisionState::decided, 1, 1}));
  EXPECT_EQ(actor().ask(quick, start + 70).answer->state, DecisionState::baseline);
  ASSERT_TRUE(service->propose(start + 60 + settings.reward_wait));
  (void)service->finish(start + 60 + settings.reward_wait);
  EXPECT_THAT(service->arms, ElementsAre(std::nullopt, std::optional<std::uint16_t>(1)));
}

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
  EXPECT_THAT(service->run(start),
              ElementsAre(LiveAnswer{live_event(1), DecisionState::decided, 2, 1, OwnArm::played}));
  (void)service->run(start + settings.reward_wait);
  EXPECT_THAT(service->arms, ElementsAre(std::optional<std::uint16_t>(2)));
}

TEST_F(Actor, AnotherDeadlineIsNoOtherBody) {
  begin();
  DecisionRequest request = live_request(1);
  request.deadline = 900;
  EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
  request.deadline = 50;
  EXPECT_EQ(actor().ask(request, start + 100).status, AskStatus::pending);
  EXPECT_EQ(actor().next_deadline(), start + 150) << "the earlier one";
  request.deadline = 800;
  EXPECT_EQ(actor().ask(request, start + 120).status, AskStatus::pending);
  EXPECT_EQ(actor().next_deadline(), start + 150);
  const auto answers = service->run(start + 130);
  ASSERT_EQ(answers.size(), 1u);
  request.deadline = 3;
  EXPECT_EQ(actor().ask(request, start + 500).answer, answers[0]);
  (void)restart(start + 600);
  EXPECT_EQ(actor().ask(live_request(1), start + 600).answer, answers[0]);
}

// Version 3 included the deadline in the digest of a call's body.
TEST_F(Actor, KnowsTheBodiesOfAnOlderVersion) {
  begin();
  DecisionRequest request = live_request(1);
  request.deadline = 900;
  request.barred = {2};
  ByteWriter body;
  body.text("sotto request");
  body.long_text("");
  body.number(request.deadline);
  body.octet(1);
  body.octet(0);
  body.number(std::uint16_t{0});
  body.numbers(std::span<const std::uint16_t>(request.barred));
  const std::vector<std::byte> bytes = body.take();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const DecisionRow row{DecisionState::decided, 1, 1, start, true, net::sha256(text), OwnArm::unknown};
  EXPECT_EQ(encode(row).size(), 52u);
  RowDraft draft(rows[0]);
  draft.put(key_of(LiveTable::events, live_event(1)), encode(row));
  draft.commit();
  const AskResult known = actor().ask(request, start);
  EXPECT_EQ(known.answer, (LiveAnswer{live_event(1), DecisionState::decided, 1, 1}));
  request.barred.clear();
  EXPECT_EQ(actor().ask(request, start).status, AskStatus::conflict);
}

TEST_F(Actor, WhatIsKeptWaitsAfterARestart) {
  begin();
  DecisionRequest request = live_request(1);
  request.barred = {2};
  request.activate = false;
  request.deadline = 700;
  EXPECT_EQ(actor().ask(request, start, true).status, AskStatus::pending);
  EXPECT_EQ(actor().ask(live_request(2), start).status, AskStatus::pending);
  EXPECT_EQ(actor().ask(live_request(3), start).status, AskStatus::pending);
  EXPECT_EQ(actor().ask(live_request(3), start, true).status, AskStatus::pending);
  (void)restart(start + 100);
  EXPECT_FALSE(actor().find(live_event(2)));
  EXPECT_EQ(actor().find(live_event(1))->status, AskStatus::pending);
  EXPECT_EQ(actor().find(live_event(3))->status, AskStatus::pending);
  EXPECT_EQ(actor().next_deadline(), start + 700);
  const auto entry = service->propose(start + 100);
  ASSERT_TRUE(entry);
  EXPECT_THAT(entry->barred, ElementsAre(BarredArm{0, 2}));
  EXPECT_EQ(service->finish(start + 100).size(), 2u);
  EXPECT_EQ(actor().ask(request, start + 200).status, AskStatus::answered);
  EXPECT_FALSE(actor().view(live_event(1))->active.value());
  rows[0].each(LiveTable::asked, [](const RowKey&, const LiveRow&) {
    ADD_FAILURE() << "it has its answer";
    return true;
  });
}

TEST_F(Actor, WhatIsKeptGetsTheBaselineAfterARestart) {
  begin();
  EXPECT_EQ(actor().ask(live_request(1), start, true).status, AskStatus::pending);
  make();
  const PassedDeadlines passed = actor().pass_deadlines(start + settings.decision_deadline);
  ASSERT_THAT(passed.baselines, ElementsAre(LiveAnswer{live_event(1), DecisionState::baseline, 0, 0}));
  make();
  EXPECT_EQ(actor().find(live_event(1))->answer, passed.baselines[0]);
  EXPECT_EQ(actor().queued(), 0u);
}

TEST_F(Actor, WhatIsKeptIsRestatedWithTheCallersArm) {
  settings.mode = LiveMode::apprentice;
  begin();
  DecisionRequest request = live_request(1);
  request.own_arm = 2;
  EXPECT_EQ(actor().ask(request, start, true).status, AskStatus::pending);
  ASSERT_TRUE(service->propose(start));
  for (std::size_t i = 0; i < 2; ++i) (void)service->prepare(i, start);
  (void)rewarder().prepare(start);
  const LiveAnswer expected{live_event(1), DecisionState::decided, 2, 1, OwnArm::played};
  EXPECT_THAT(restart(start + 1), ElementsAre(expected));
  EXPECT_EQ(actor().find(live_event(1))->answer, expected);
}

TEST_F(Actor, TheBaselineIsAnArmThatIsAllowed) {
  begin();
  const auto told_without = [&](unsigned event, std::vector<std::uint16_t> barred) {
    DecisionRequest request = live_request(event);
    request.barred = std::move(barred);
    EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
    return actor().pass_deadlines(start + settings.decision_deadline).baselines.at(0).arm;
  };
  ASSERT_EQ(settings.baseline_arm, 0);
  EXPECT_EQ(told_without(1, {1}), 0);
  EXPECT_EQ(told_without(2, {0}), 1);
  EXPECT_EQ(told_without(3, {0, 1}), 2);
}

TEST_F(Actor, SaysWhatBecameOfTheCallersArm) {
  begin();
  DecisionRequest request = live_request(1);
  request.own_arm = 2;
  (void)actor().ask(request, start);
  ask(2, 1, start);
  const auto answers = service->run(start);
  EXPECT_THAT(answers, ElementsAre(LiveAnswer{live_event(1), DecisionState::decided, 1, 1, OwnArm::ignored},
                                   LiveAnswer{live_event(2), DecisionState::decided, 1, 1, OwnArm::none}));
  request.event = live_event(3);
  (void)actor().ask(request, start);
  const auto baselines = actor().pass_deadlines(start + settings.decision_deadline).baselines;
  EXPECT_THAT(baselines, ElementsAre(LiveAnswer{live_event(3), DecisionState::baseline, 0, 0, OwnArm::ignored}));
  (void)restart(start + 2000);
  EXPECT_EQ(actor().find(live_event(1))->answer, answers[0]);
  EXPECT_EQ(actor().find(live_event(3))->answer, baselines[0]);
}

TEST_F(Actor, CountsOverRestarts) {
  begin();
  actor().begin_figures(start);
  ask(1, 3, start);
  (void)service->run(start);
  ask(4, 1, start);
  (void)actor().pass_deadlines(start + settings.decision_deadline);
  DecisionRequest other = live_request(4);
  other.barred = {1};
  EXPECT_EQ(actor().ask(other, start + 2000).status, AskStatus::conflict);
  (void)service->run(start + settings.reward_wait);
  actor().forget(start + settings.reward_wait);
  (void)restart(start + 90'000);
  actor().begin_figures(start + 90'000);
  actor().forget(start + 90'000);
  EXPECT_EQ(*actor().figure_history(), (HistoryPoints{{start + settings.reward_wait, {3, 1}}}))
      << "no point is added while no epoch is open";
  const CallFigures& figures = actor().figures();
  EXPECT_EQ(figures.since, start);
  EXPECT_EQ(figures.decided, 3u);
  EXPECT_EQ(figures.baselines, 1u);
  EXPECT_EQ(figures.rejected, 1u) << "written with the next number";
  EXPECT_THAT(figures.arms, ElementsAre(1u, 3u, 0u));
  const OrderTally& tally = actor().book().last().tally;
  EXPECT_EQ(tally.decides, 1u);
  EXPECT_EQ(tally.learns, 1u);
  EXPECT_EQ(tally.model, 2u);
  EXPECT_EQ(tally.padding, 1u);
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
}  // namespace sotto::apps::live
