// Which programs the dealer deals ahead, and which of them is taken.
#include "sotto/apps/bandit/live/roles/planner.h"

#include <algorithm>

#include "tests/apps/support.h"

namespace sotto::apps {
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
  // 6 wait, and a program of 16 comes first.
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

// What is due has a place beside decides that nobody needs.
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

// Small learns that were planned and are of no use, as another batch came first, keep neither a larger one away nor a
// decide.
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

// Both kinds have more to do than they can: programs of both in turn, as far as there is something due.
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
  // Never more learns ahead than decides.
  const auto more = planner.extend({.decide = true, .waiting = 100, .due = 1000, .first_due = 2}, 0);
  EXPECT_EQ(std::count(more->shapes.begin(), more->shapes.end(), (ProgramShape{EntryKind::learn, 4})), 3);
}

TEST(LivePlanner, HoldsLearnsBack) {
  ProgramPlanner planner({1, 4}, 1);
  const auto plan = planner.extend({.decide = true, .waiting = 1, .due = 2, .first_due = 2, .hold_learns = true}, 0);
  EXPECT_THAT(plan->shapes, ElementsAre(ProgramShape{EntryKind::decide, 1}));
  EXPECT_TRUE(planner.extend({.due = 2, .first_due = 2}, 0));
  // What is planned is taken as it comes.
  EXPECT_EQ(planner.take({.decide = true, .waiting = 1, .due = 2, .first_due = 2})->shape.kind, EntryKind::decide);
  EXPECT_EQ(planner.take({.due = 2, .first_due = 2, .hold_learns = true})->shape.kind, EntryKind::learn);
}

TEST(LivePlanner, WarmsUpWhereBatchesAreLarge) {
  EXPECT_EQ(batch_limit(256, 10, 0), 256u);
  EXPECT_EQ(batch_limit(1024, 10, 0), 64u);
  EXPECT_EQ(batch_limit(1024, 10, 255), 64u);
  EXPECT_EQ(batch_limit(1024, 10, 256), 128u);
  EXPECT_EQ(batch_limit(1024, 10, 1'000'000), 1024u);
}

}  // namespace
}  // namespace sotto::apps
