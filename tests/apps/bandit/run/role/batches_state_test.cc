// Runs in batches that crash, and go on.
#include "apps/bandit/run/role/role_state.h"

#include "tests/apps/bandit/run/role/crashing_roles.h"

namespace sotto::apps::bandit::run {
namespace {

using At = Crash::At;

// Checkpoints after 12, 20, 32 and 40 events, where a run from the start learns four at a time.
Change in_batches(std::size_t batch, std::uint64_t lag, bool separate = false) {
  return [=](BanditSettings& run) {
    run.batch = batch;
    run.reward_lag = lag;
    run.separate_rewarder = separate;
  };
}

TEST(BatchesState, ARunInBatchesThatCrashesEverywhereIsTheRunOfItsTwin) {
  for (const bool separate : {false, true}) {
    const std::uint64_t lag = separate ? 5 : 0;
    CrashingRoles roles(in_batches(4, lag, separate));
    const NodeId actor = 2;
    const NodeId rewarder = separate ? 3 : 2;
    const NodeId dealer = net::dealer_id;
    const Crash crashes[] = {
        {0, At::opening, 0},
        {1, At::step_begins, 6},  // before the first checkpoint
        {actor, At::decided, 9},  // between deciding and learning
        {0, At::decided, 11},
        {rewarder, At::rewards, 2},  // in learning
        {1, At::before_keep, 12},    // party 0 has it, party 1 has not
        {rewarder, At::before_keep, 12},
        {actor, At::step_done, 13},  // all have the first
        {rewarder, At::rewards, 17},
        {0, At::after_keep, 20},  // party 0 alone has the second
        {1, At::after_keep, 20},
        {rewarder, At::decided, 27},
        {dealer, At::step_begins, 31},
        {actor, At::decided, 38},
        {0, At::before_keep, 40},
    };
    std::uint64_t from = 0;
    for (const Crash& crash : crashes) {
      EXPECT_FALSE(roles.play(crash));
      EXPECT_GE(roles.opening().from_step, from) << "what was reached is lost";
      from = roles.opening().from_step;
    }
    EXPECT_EQ(from, separate ? 20u : 32u);
    EXPECT_TRUE(roles.play());
    roles.expect_like_the_twin();
    for (std::size_t i = 0; i < roles.nodes(); ++i) {
      EXPECT_EQ(roles.reports()[i].steps_begun, roles.reports()[0].steps_begun) << i;
      EXPECT_GE(roles.reports()[i].steps_begun, roles.begun()[i]) << i;
      // In a crash one role may have begun a batch more than another, and with a lag several.
      EXPECT_LE(roles.reports()[i].steps_begun, roles.begun()[i] + std::size(crashes) * (4 + lag)) << i;
      EXPECT_GT(roles.begun()[i], 40u);
    }
  }
}

TEST(BatchesState, ARunInBatchesDecidesAgainWhatWasNotLearned) {
  struct Case {
    Crash crash;
    std::uint64_t from;
    std::uint64_t repeated;
  };
  // With a lag of 5, 12 events were decided before the first four are learned, and 4 more before each further batch.
  const Case cases[] = {
      {{1, At::decided, 11}, 0, 12},  {{2, At::rewards, 2}, 0, 12},   {{1, At::before_keep, 20}, 12, 20},
      {{1, At::decided, 28}, 20, 12}, {{2, At::rewards, 25}, 20, 16}, {{1, At::before_keep, 40}, 32, 8},
  };
  for (const Case& c : cases) {
    CrashingRoles roles(in_batches(4, 5));
    EXPECT_FALSE(roles.play(c.crash));
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().from_step, c.from);
    EXPECT_EQ(roles.opening().repeated, c.repeated);
    roles.expect_like_the_twin();
    roles.expect_counted(40 + c.repeated, 40 + c.repeated);
  }
}

TEST(BatchesState, ARunOfGrowingBatchesGoesOn) {
  CrashingRoles roles([](BanditSettings& run) {
    in_batches(130, 40)(run);
    run.steps = 600;
    run.checkpoint_every = 70;
  });
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 200}));
  EXPECT_FALSE(roles.play(Crash{2, At::rewards, 450}));
  EXPECT_GT(roles.opening().from_step, 100u);
  EXPECT_TRUE(roles.play());
  EXPECT_GT(roles.opening().from_step, 300u);
  roles.expect_like_the_twin();
}

TEST(BatchesState, AnOldCopyOfARunInBatchesIsRefusedByName) {
  CrashingRoles roles(in_batches(4, 5));
  EXPECT_FALSE(roles.play(Crash{1, At::decided, 19}));
  roles.copy_stores("at 0");
  EXPECT_FALSE(roles.play(Crash{1, At::decided, 35}));
  roles.copy_stores("of epoch 2");
  roles.expect_each_refused("at 0", "of epoch 2", " is an old copy (");
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().from_step, 20u);
  roles.expect_like_the_twin();
}

}  // namespace
}  // namespace sotto::apps::bandit::run
