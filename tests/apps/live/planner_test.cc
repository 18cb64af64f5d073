#include <algorithm>

#include "apps/live/roles/planner.h"
#include "tests/apps/live/service.h"
#include "tests/apps/support.h"

namespace sotto::apps::live {

using namespace sotto::apps::bandit;
namespace {

TEST(LivePlanner, PlansForWhatWaits) {
  ProgramPlanner planner({1, 16, 64}, 3);
  const auto plan = planner.extend({.decide = true, .waiting = 70}, 5);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->shapes, ElementsAre(ProgramShape{EntryKind::decide, 64}, ProgramShape{EntryKind::decide, 16},
                                        ProgramShape{EntryKind::decide, 1}));
  EXPECT_EQ(plan->settled, 5u);
  EXPECT_FALSE(planner.extend({.decide = true, .waiting = 70}, 5));
  const auto first = planner.take({.decide = true, .waiting = 70});
  EXPECT_EQ(first->program, 1u);
  EXPECT_EQ(first->shape.size, 64u);
  EXPECT_TRUE(first->skipped.empty());
  EXPECT_EQ(planner.take({.decide = true, .waiting = 6})->program, 2u);
  EXPECT_FALSE(planner.take({}));
}

TEST(LivePlanner, SkipsToWhatHasRoom) {
  ProgramPlanner planner({1, 4}, 2);
  EXPECT_THAT(planner.extend({}, 0)->shapes,
              ElementsAre(ProgramShape{EntryKind::decide, 1}, ProgramShape{EntryKind::decide, 1}));
  EXPECT_EQ(planner.take({.decide = true, .waiting = 1})->program, 1u);
  EXPECT_EQ(planner.extend({.decide = true, .waiting = 4}, 0)->shapes.front().size, 4u);
  const auto taken = planner.take({.decide = true, .waiting = 4});
  EXPECT_EQ(taken->program, 3u);
  EXPECT_THAT(taken->skipped, ElementsAre(2u));
}

TEST(LivePlanner, PlansOneWithRoomForAllWhoWait) {
  ProgramPlanner planner({1, 4, 16}, 2);
  (void)planner.extend({}, 0);
  const auto plan = planner.extend({.decide = true, .waiting = 3}, 0);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->shapes, ElementsAre(ProgramShape{EntryKind::decide, 4}));
  EXPECT_FALSE(planner.extend({.decide = true, .waiting = 4}, 0));
  const auto taken = planner.take({.decide = true, .waiting = 4});
  EXPECT_EQ(taken->program, 3u);
  EXPECT_THAT(taken->skipped, ElementsAre(1u, 2u));
}

// The first learn of an imported model rounds the sums, so its program differs from the program of later learns.
TEST(LivePlanner, OneLearnRoundsAnImportedModel) {
  ProgramPlanner planner({1, 4}, 3);
  const SumBits from{40, 36};
  const auto plan = planner.extend({.due = 9, .first_due = 4, .from = from}, 0);
  const auto learns = [](const ProgramShape& shape) { return shape.kind == EntryKind::learn; };
  ASSERT_EQ(std::count_if(plan->shapes.begin(), plan->shapes.end(), learns), 1);
  const auto taken = planner.take({.due = 9, .first_due = 4, .from = from});
  EXPECT_EQ(taken->shape, (ProgramShape{EntryKind::learn, 4, false, from}));
  EXPECT_FALSE(planner.extend({.due = 5, .first_due = 4, .from = from, .concurrent = true}, 0)) << "while it is played";
  const auto later = planner.extend({.due = 5, .first_due = 4}, 0);
  EXPECT_EQ(later->shapes.front(), (ProgramShape{EntryKind::learn, 4}));
  EXPECT_FALSE(planner.take({.due = 5, .first_due = 4, .from = from})) << "that is of another model";
}

TEST(LivePlanner, ALearnThatIsDueIsPlannedAtOnce) {
  ProgramPlanner planner({1, 4, 16}, 2);
  (void)planner.extend({}, 0);
  EXPECT_FALSE(planner.take({.due = 5, .first_due = 3})) << "no learn is planned";
  const auto plan = planner.extend({.due = 5, .first_due = 3}, 0);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->shapes, ElementsAre(ProgramShape{EntryKind::learn, 16}));
  const auto taken = planner.take({.due = 5, .first_due = 3});
  EXPECT_EQ(taken->program, 3u);
  EXPECT_THAT(taken->skipped, ElementsAre(1u, 2u));
  planner.begin_epoch();
  EXPECT_EQ(planner.extend({}, 0)->first, 1u);
}

TEST(LivePlanner, LearnsOfNoUseKeepNothingAway) {
  ProgramPlanner planner({1, 4, 16}, 1);
  (void)planner.extend({.due = 1, .first_due = 1}, 0);
  (void)planner.extend({.due = 4, .first_due = 3}, 0);
  const auto plan = planner.extend({.due = 20, .first_due = 5}, 0);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->shapes, ElementsAre(ProgramShape{EntryKind::learn, 16}));
  EXPECT_EQ(planner.take({.decide = true, .waiting = 1})->shape.kind, EntryKind::decide);
  (void)planner.extend({.decide = true, .waiting = 2}, 0);
  const auto taken = planner.take({.decide = true, .waiting = 2});
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->shape.kind, EntryKind::decide) << "nothing is due any more";
}

TEST(LivePlanner, LearnsAndDecidesTakeTurns) {
  ProgramPlanner planner({1, 4}, 3);
  const PlannerNeeds needs{.decide = true, .waiting = 100, .due = 6, .first_due = 2};
  const auto plan = planner.extend(needs, 0);
  ASSERT_TRUE(plan);
  const ProgramShape decide{EntryKind::decide, 4};
  EXPECT_THAT(plan->shapes, ElementsAre(ProgramShape{EntryKind::learn, 4}, decide, ProgramShape{EntryKind::learn, 4},
                                        decide, decide));
  EXPECT_FALSE(planner.extend(needs, 0));
  for (const EntryKind kind : {EntryKind::learn, EntryKind::decide, EntryKind::learn, EntryKind::decide}) {
    const auto taken = planner.take(needs);
    EXPECT_EQ(taken->shape.kind, kind);
    EXPECT_TRUE(taken->skipped.empty());
  }
  const auto more = planner.extend({.decide = true, .waiting = 100, .due = 1000, .first_due = 2}, 0);
  EXPECT_EQ(std::count(more->shapes.begin(), more->shapes.end(), (ProgramShape{EntryKind::learn, 4})), 3);
}

TEST(LivePlanner, HoldsLearnsBack) {
  ProgramPlanner planner({1, 4}, 1);
  const auto plan = planner.extend({.decide = true, .waiting = 1, .due = 2, .first_due = 2, .hold_learns = true}, 0);
  EXPECT_THAT(plan->shapes, ElementsAre(ProgramShape{EntryKind::decide, 1}));
  EXPECT_TRUE(planner.extend({.due = 2, .first_due = 2}, 0));
  EXPECT_EQ(planner.take({.decide = true, .waiting = 1, .due = 2, .first_due = 2})->shape.kind, EntryKind::decide);
  EXPECT_EQ(planner.take({.due = 2, .first_due = 2, .hold_learns = true})->shape.kind, EntryKind::learn);
}

TEST(LivePlanner, ALearnThatIsBeingDealtBeginsLater) {
  ProgramPlanner planner({1, 4}, 2);
  EXPECT_EQ(planner.extend({}, 0)->shapes.size(), 2u);
  EXPECT_THAT(planner.extend({.due = 2, .first_due = 2}, 0)->shapes, ElementsAre(ProgramShape{EntryKind::learn, 4}));
  const PlannerNeeds idle{.due = 2, .first_due = 2, .deals_learn = true};
  const PlannerNeeds asked{.decide = true, .waiting = 1, .due = 2, .first_due = 2, .deals_learn = true};
  EXPECT_FALSE(planner.take(idle));
  const auto decide = planner.take(asked);
  ASSERT_TRUE(decide);
  EXPECT_EQ(decide->program, 1u);
  EXPECT_FALSE(planner.take(idle));
  EXPECT_EQ(planner.take(asked)->program, 2u);
  const auto learn = planner.take(asked);
  ASSERT_TRUE(learn);
  EXPECT_EQ(learn->program, 3u);
  EXPECT_THAT(learn->skipped, ElementsAre());
}

TEST(LivePlanner, WarmsUpWhereBatchesAreLarge) {
  EXPECT_EQ(batch_limit(256, 10, 0), 256u);
  EXPECT_EQ(batch_limit(1024, 10, 0), 64u);
  EXPECT_EQ(batch_limit(1024, 10, 255), 64u);
  EXPECT_EQ(batch_limit(1024, 10, 256), 128u);
  EXPECT_EQ(batch_limit(1024, 10, 1'000'000), 1024u);
}

// Without a dealer, a preparation takes as long for one program as for many.
TEST(LivePlanner, WithoutADealerPlansInPieces) {
  ProgramPlanner planner({1, 4}, 4, false);
  const PlannerNeeds one{.decide = true, .waiting = 1};
  EXPECT_EQ(planner.extend(one, 0)->shapes.size(), 4u);
  EXPECT_EQ(planner.take(one)->program, 1u);
  EXPECT_FALSE(planner.extend(one, 0)) << "three of four are there";
  EXPECT_EQ(planner.take(one)->program, 2u);
  const auto more = planner.extend(one, 0);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->first, 5u);
  EXPECT_EQ(more->shapes.size(), 2u);
  const PlannerNeeds four{.decide = true, .waiting = 4};
  EXPECT_THAT(planner.extend(four, 0)->shapes, ElementsAre(ProgramShape{EntryKind::decide, 4}));
  const auto taken = planner.take(four);
  EXPECT_EQ(taken->program, 7u);
  EXPECT_THAT(taken->skipped, ElementsAre(3u, 4u, 5u, 6u));
  EXPECT_EQ(planner.extend(four, 0)->shapes, std::vector(4, ProgramShape{EntryKind::decide, 4}));
}

TEST(LivePlanner, WithoutADealerNeitherKindSkipsTheOther) {
  ProgramPlanner planner({1, 4}, 2, false);
  const PlannerNeeds due{.due = 3, .first_due = 3};
  const PlannerNeeds asked{.decide = true, .waiting = 1};
  (void)planner.extend({}, 0);
  EXPECT_THAT(planner.extend(due, 0)->shapes, ElementsAre(ProgramShape{EntryKind::learn, 4}));
  const auto learn = planner.take(due);
  EXPECT_EQ(learn->program, 3u);
  EXPECT_THAT(learn->skipped, ElementsAre());
  EXPECT_EQ(planner.extend(due, 0)->first, 4u) << "the next learn";
  (void)planner.take(asked);
  (void)planner.take(asked);
  (void)planner.extend(asked, 0);
  const auto behind = planner.take({.decide = true, .waiting = 1, .due = 3, .first_due = 3, .concurrent = true});
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->program, 5u);
  EXPECT_THAT(behind->skipped, ElementsAre());
  EXPECT_EQ(planner.take(due)->program, 4u);
}

}  // namespace

namespace {

using namespace testing;

class LiveDealerTest : public InService {};

TEST_F(LiveDealerTest, DealsWhatIsPlannedInOrder) {
  begin();
  LiveDealer& dealer = *service->dealer;
  EXPECT_FALSE(dealer.next());
  dealer.plan(PlanFrame{1, 0, {{EntryKind::decide, 4}, {EntryKind::learn, 4}}});
  dealer.plan(PlanFrame{3, 2, {{EntryKind::decide, 1}}});
  EXPECT_EQ(dealer.next(), (DealtProgram{1, {EntryKind::decide, 4}}));
  dealer.skip(SkipFrame{2});
  EXPECT_EQ(dealer.next(), (DealtProgram{2, {EntryKind::learn, 4}})) << "it is thrown away by who gets it";
  EXPECT_THROW(dealer.skip(SkipFrame{2}), ProtocolError);
  EXPECT_THROW(dealer.skip(SkipFrame{4}), ProtocolError);
  EXPECT_THROW(dealer.plan(PlanFrame{5, 2, {{EntryKind::decide, 1}}}), ProtocolError);
  EXPECT_THROW(dealer.plan(PlanFrame{4, 1, {{EntryKind::decide, 1}}}), ProtocolError) << "settled goes back";
  dealer.leave_epoch();
  EXPECT_FALSE(dealer.next());
}

TEST_F(LiveDealerTest, ACommonRollbackIsRefusedUntilItIsAccepted) {
  begin();
  const std::array<Disk, 5> copies = disks;
  for (unsigned i = 0; i < 3; ++i) {
    ask(10 + i, 1, start);
    (void)service->run(start);
  }
  for (std::size_t i = 0; i < 4; ++i) disks[i] = copies[i];
  EXPECT_THAT(error_of<DisagreementError>([&] { return restart(start); }),
              AllOf(HasSubstr("the dealer knows number 2"), HasSubstr("the parties share number 0")));
  service = std::make_unique<FiveRoles>(five(), settings, peers);
  service->dealer = std::make_unique<LiveDealer>(rows[4], true);
  (void)service->open(start);
  EXPECT_EQ(service->opening.number, 0u);
  EXPECT_EQ(service->dealer->history().settled, 0u);
}

TEST_F(LiveDealerTest, OpensNoEpochTwice) {
  begin();
  EXPECT_THROW(service->dealer->open(LiveOpening{1, 0, {}}, {}), DisagreementError);
}

}  // namespace
}  // namespace sotto::apps::live
