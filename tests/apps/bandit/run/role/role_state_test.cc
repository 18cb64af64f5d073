#include "apps/bandit/run/role/role_state.h"
#include "tests/apps/bandit/run/role/crashing_roles.h"

namespace sotto::apps::bandit::run {
namespace {

using At = Crash::At;

TEST(RoleState, ARunThatCrashesEverywhereIsTheRunOfItsTwin) {
  for (const bool separate : {false, true}) {
    CrashingRoles roles(rewarder_apart(separate));
    const NodeId actor = 2;
    const NodeId rewarder = separate ? 3 : 2;
    const NodeId dealer = net::dealer_id;
    const Crash crashes[] = {
        {0, At::opening, 0},
        {dealer, At::opening, 0},
        {1, At::step_begins, 4},
        {1, At::before_keep, 10},
        {rewarder, At::before_keep, 10},
        {actor, At::step_done, 13},
        {1, At::opening, 0},
        {0, At::after_keep, 20},  // only party 0 has the second checkpoint
        {1, At::after_keep, 20},  // party 1 also has the second checkpoint, from another epoch
        {rewarder, At::step_begins, 27},
        {dealer, At::step_begins, 31},
        {0, At::before_keep, 40},  // all steps are done, but the run has not ended
    };
    std::uint32_t epoch = 0;
    std::uint64_t from = 0;
    for (const Crash& crash : crashes) {
      EXPECT_FALSE(roles.play(crash));
      EXPECT_GE(roles.opening().epoch, epoch + (&crash == &crashes[1] ? 0 : 1));
      EXPECT_GE(roles.opening().from_step, from) << "what was reached is lost";
      EXPECT_EQ(roles.opening().from_step % 10, 0u);
      epoch = roles.opening().epoch;
      from = roles.opening().from_step;
    }
    EXPECT_EQ(from, 30u);
    EXPECT_TRUE(roles.play());
    EXPECT_GT(roles.opening().epoch, epoch);
    roles.expect_like_the_twin();
    for (std::size_t i = 0; i < roles.nodes(); ++i) {
      EXPECT_EQ(roles.reports()[i].steps_begun, roles.reports()[0].steps_begun) << i;
      EXPECT_GE(roles.reports()[i].steps_begun, roles.begun()[i]) << i;
      EXPECT_LE(roles.reports()[i].steps_begun, roles.begun()[i] + std::size(crashes)) << i;
      EXPECT_GT(roles.begun()[i], 40u);
    }
  }
}

TEST(RoleState, StartsWhereAllRolesCan) {
  struct Case {
    Crash crash;
    std::uint64_t from;
    std::uint64_t repeated;
  };
  const Case cases[] = {
      {{1, At::before_keep, 20}, 10, 11}, {{1, At::step_begins, 21}, 20, 2}, {{0, At::before_keep, 10}, 0, 10},
      {{0, At::step_begins, 3}, 0, 4},    {{2, At::step_begins, 35}, 30, 6},
  };
  for (const Case& c : cases) {
    CrashingRoles roles;
    EXPECT_FALSE(roles.play(c.crash));
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().epoch, 2u);
    EXPECT_EQ(roles.opening().from_step, c.from);
    EXPECT_EQ(roles.opening().repeated, c.repeated);
    roles.expect_like_the_twin();
  }
}

TEST(RoleState, OneArmIsRidgeRegressionAfterACrash) {
  CrashingRoles roles([](BanditSettings& run) {
    run.parties = 3;
    run.arms = 1;
    run.steps = 300;
    run.checkpoint_every = 70;
  });
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 251}));
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().from_step, 210u);
  roles.expect_ridge();
  roles.expect_like_the_twin();
}

TEST(RoleState, ACompleteRunIsResumedFromItsEnd) {
  CrashingRoles roles;
  EXPECT_TRUE(roles.play());
  roles.expect_like_the_twin();
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().epoch, 2u);
  EXPECT_EQ(roles.opening().from_step, 40u);
  EXPECT_EQ(roles.opening().repeated, 0u);
  EXPECT_EQ(roles.opening().taken, 40u);
  roles.expect_like_the_twin();
  for (std::size_t i = 0; i + 1 < roles.begun().size(); ++i) EXPECT_EQ(roles.begun()[i], 40u);
}

TEST(RoleState, InputsMustBeThoseThatTheRunWasBegunWith) {
  CrashingRoles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 12}));
  std::ofstream(roles.folder().path() / "party_0.csv", std::ios::app) << "0.1,0.1\n";
  EXPECT_THAT(roles.refusal<InputError>(), HasSubstr("the input file of party 0"));
}

TEST(RoleState, ARoleThatLostItsStoreIsRefusedAndNothingIsLost) {
  CrashingRoles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_done, 25}));
  const auto store = roles.folder().path() / "party_1";
  const auto aside = roles.folder().path() / "aside";
  fs::rename(store, aside);
  EXPECT_THAT(roles.refusal<InputError>(), HasSubstr("party_1: holds no state of a run"));
  roles.configs()[1].resume = false;
  EXPECT_THAT(roles.refusal<DisagreementError>(),
              HasSubstr("the state of party 1 is an old copy (no checkpoint, epoch 0"));
  fs::remove_all(store);
  fs::rename(aside, store);
  EXPECT_TRUE(roles.play());
  roles.expect_like_the_twin();
}

// Two epochs write the same steps in different shares. The shares of one role's old copy and the shares of the other
// roles would add up to random numbers. The step numbers of the checkpoints are equal, so they cannot show that a copy
// is old.
TEST(RoleState, AnOldCopyOfOneRoleIsRefusedByName) {
  for (const bool separate : {false, true}) {
    CrashingRoles roles(rewarder_apart(separate));
    roles.crash_twice();
    roles.copy_stores("of epoch 2");
    roles.bring_all_nodes_back("at 10");
    EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 35}));
    EXPECT_EQ(roles.opening().from_step, 10u);
    roles.copy_stores("of epoch 3");
    roles.expect_each_refused("of epoch 2", "of epoch 3", " is an old copy (step 30 of epoch 2, where ");
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().from_step, 30u);
    roles.expect_like_the_twin();
  }
}

TEST(RoleState, ACopyOfAnEarlierStartIsRefused) {
  CrashingRoles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 25}));
  roles.copy_stores("before");
  roles.begin_anew();
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 25}));
  roles.copy_stores("now");
  roles.expect_each_refused("before", "now", " does not belong to that of ");
  EXPECT_TRUE(roles.play());
  roles.expect_like_the_twin();
}

TEST(RoleState, OldCopiesOfAllPartiesAreRefusedWhereTheActorIsNewer) {
  for (const bool separate : {false, true}) {
    CrashingRoles roles(rewarder_apart(separate));
    roles.crash_twice();
    for (const std::size_t party : {0u, 1u}) roles.bring_back(party, "at 10");
    EXPECT_THAT(roles.refusal<DisagreementError>(),
                StartsWith("the state of party 0 and party 1 is an old copy (step 10 of epoch 1, where "));
  }
}

TEST(RoleState, AnOldCopyThatTheOthersStillHaveIsGoneOnFrom) {
  CrashingRoles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 25}));
  roles.copy_stores("at 20");
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 35}));
  roles.bring_back(0, "at 20");
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().from_step, 20u);
  EXPECT_EQ(roles.opening().repeated, 16u);
  roles.expect_like_the_twin();
  roles.expect_counted(roles.begun()[1]);
}

// Only the dealer remembers epoch 2, in which it dealt the steps from 10 to 35. The run opens the arms of these steps
// again.
TEST(RoleState, StepsThatOnlyTheDealerRemembersCount) {
  for (const bool separate : {false, true}) {
    CrashingRoles roles(rewarder_apart(separate));
    roles.crash_twice();
    roles.bring_all_nodes_back("at 10");
    EXPECT_TRUE(roles.play());
    EXPECT_EQ(roles.opening().epoch, 3u);
    EXPECT_EQ(roles.opening().from_step, 10u);
    roles.expect_like_the_twin();
    // The first epoch began 16 steps (0 to 15), the second 26 steps (10 to 35), and the third 30 steps (10 to 39).
    roles.expect_counted(std::max<std::uint64_t>(roles.begun()[1], 16 + 26 + 30 - 1), 16 + 26 + 30 + 1);
  }
}

TEST(RoleState, AfterTheEndTheDealerKnowsThatAllWasPlayed) {
  CrashingRoles roles;
  EXPECT_FALSE(roles.play(Crash{1, At::step_begins, 15}));
  roles.copy_stores("at 10");
  EXPECT_TRUE(roles.play());
  roles.bring_all_nodes_back("at 10");
  EXPECT_TRUE(roles.play());
  EXPECT_EQ(roles.opening().repeated, 30u);
  roles.expect_counted(15 + 30 + 30);
  for (std::size_t node = 0; node < roles.nodes(); ++node) roles.expect_counted(roles.begun()[node]);
}

TEST(RoleState, AnOwnerCountsWhatItsCheckpointsSay) {
  const TestFolder folder;
  for (const bool owner : {false, true}) {
    BanditSettings config;
    config.session = std::string(32, '1');
    config.parties = 2;
    config.owners = 1;
    config.steps = 40;
    config.arms = 2;
    config.checkpoint_every = 10;
    config.set_role(owner ? BanditRole::owner : BanditRole::party);
    config.data = folder.put("rows.csv", "x\n.1\n");
    config.state = folder.path() / config.role_key();
    config.key = folder.path() / "key.pem";
    net::Identity::create("role").write(config.key);
    RoleState state(config, config, config, config);
    ResumePoint opening;
    state.open_epoch(opening);
    BanditSite site;
    state.attach(site, nullptr, {});
    for (std::uint64_t step = 0; step < 17; ++step) site.step_begins(step);
    EXPECT_EQ(state.resume_state().begun, owner ? 0u : 17u);
    CheckpointId id{};
    id[0] = std::byte{1};
    site.checkpoints()->save(10, {}, id);
    EXPECT_EQ(state.resume_state().begun, owner ? 10u : 17u);
    EXPECT_EQ(state.resume_state().taken, owner ? 10u : 17u);
    EXPECT_EQ(state.resume_state().checkpoints, (std::vector{CheckpointName{10, id}}));
    std::filesystem::remove(config.key);
  }
}

TEST(RoleState, WithoutCheckpointsThereIsNothingToResume) {
  BanditSettings config;
  config.set_role(BanditRole::party);
  config.steps = 10;
  EXPECT_EQ(RoleState(config, config, config, config).resume_state(), ResumeState{});
  config.resume = true;
  EXPECT_THROW((RoleState{config, config, config, config}), InputError);
  config.resume = false;
  config.checkpoint_every = 5;
  EXPECT_THROW((RoleState{config, config, config, config}), InputError);
  config.state = "/nonexistent";
  EXPECT_THROW((RoleState{config, config, config, config}), InputError);
}

// The checkpoints of this run come after 12, 20, 32 and 40 events. At the start, the run learns four events at a time.
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
        {1, At::step_begins, 6},
        {actor, At::decided, 9},
        {0, At::decided, 11},
        {rewarder, At::rewards, 2},
        {1, At::before_keep, 12},
        {rewarder, At::before_keep, 12},
        {actor, At::step_done, 13},
        {rewarder, At::rewards, 17},
        {0, At::after_keep, 20},
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
  // With a lag of 5, the run decides 12 events before it learns the first four, and 4 more before each further batch.
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
