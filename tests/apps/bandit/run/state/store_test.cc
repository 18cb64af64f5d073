#include "apps/bandit/run/state/store.h"
#include "tests/apps/bandit/run/state/stores.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run {
namespace {

using namespace testing;

TEST_F(Store, GivesBackWhatWasStoredInAnotherProcess) {
  create();
  {
    const auto store = open();
    EXPECT_EQ(store->resume_state(), (ResumeState{true, false, 0, {}, 0, 0}));
    store->open_epoch(opening_of(1, 0));
    play(*store, 0, 37, 5);
  }
  const auto store = open();
  EXPECT_EQ(store->resume_state(), (ResumeState{true, false, 1, {name_at(20, 5), name_at(30, 5)}, 37, 37}));
  EXPECT_FALSE(store->complete());
  store->open_epoch(opening_of(2, 30, 5, 7));
  const Checkpoint checkpoint = store->starting_point();
  EXPECT_EQ(checkpoint.steps, 30u);
  EXPECT_EQ(checkpoint.epoch, 1u);
  EXPECT_EQ(checkpoint.id, id_at(30, 5));
  EXPECT_EQ(store->newest_id(), id_at(30, 5));
  EXPECT_EQ(checkpoint.inverses, checkpoint_at(30, 5).inverses);
  EXPECT_EQ(checkpoint.targets, checkpoint_at(30, 5).targets);
  EXPECT_EQ(checkpoint.progress, (StepCounts{30, 30}));
}

TEST_F(Store, CountsTheStepsOfAllEpochs) {
  create();
  open()->open_epoch(opening_of(1, 0));
  {
    const auto store = open();
    store->open_epoch(opening_of(2, 0));
    play(*store, 0, 14);
  }
  {
    const auto store = open();
    EXPECT_EQ(store->progress(), (StepCounts{14, 14}));
    store->open_epoch(opening_of(3, 10, 1, 4));
    play(*store, 10, 12);
  }
  const auto store = open();
  EXPECT_EQ(store->progress(), (StepCounts{14, 16}));
  EXPECT_EQ(store->resume_state().begun, 14u);
  EXPECT_EQ(store->resume_state().taken, 16u);
}

TEST_F(Store, TakesOverTheCountsOfAllRoles) {
  create();
  {
    const auto store = open();
    store->open_epoch(opening_of(1, 0));
    play(*store, 0, 14);
    store->open_epoch(opening_of(4, 10, 1, 25, 77));
    EXPECT_EQ(store->progress(), (StepCounts{35, 77}));
    play(*store, 10, 12);
  }
  EXPECT_EQ(open()->progress(), (StepCounts{35, 79}));
  const auto store = open();
  store->open_epoch(opening_of(5, 10, 1, 3, 13));
  EXPECT_EQ(store->progress(), (StepCounts{35, 79}));
  store->open_epoch(opening_of(6, 10, 1, 1'000'000, ~std::uint64_t{0}));
  EXPECT_EQ(store->progress(), (StepCounts{100, most_taken}));
}

TEST_F(Store, ADealersCountIsAheadUntilItHasSeenTheEnd) {
  const StoreIdentity dealer = identity_of("dealer");
  create(dealer);
  {
    const auto store = open(dealer);
    store->open_epoch(opening_of(1, 0));
    for (std::uint64_t step = 0; step < 30; ++step) store->step_begins(step);
    EXPECT_EQ(store->resume_state(), (ResumeState{false, true, 1, {}, 30, 30}));
  }
  {
    const auto store = open(dealer);
    store->open_epoch(opening_of(2, 10, 1, 5, 15));
    EXPECT_EQ(store->progress(), (StepCounts{15, 15}));
    for (std::uint64_t step = 10; step < 100; ++step) store->step_begins(step);
    store->mark_complete();
  }
  EXPECT_EQ(open(dealer)->resume_state(), (ResumeState{false, false, 2, {}, 100, 105}));
}

TEST_F(Store, GoesOnFromNoCheckpointOfAnotherId) {
  const auto store = played_to(20);
  expect_refusal<DisagreementError>("would continue from step 20, but party 0 has other checkpoints",
                                    [&] { store->open_epoch(opening_of(2, 20, 9)); });
  EXPECT_EQ(store->resume_state().epoch, 1u);
  store->open_epoch(opening_of(2, 20));
}

TEST_F(Store, OpensNoEpochTwice) {
  create();
  const auto store = open();
  store->open_epoch(opening_of(4, 0));
  for (const std::uint32_t epoch : {0u, 1u, 3u, 4u}) {
    expect_refusal<DisagreementError>("has opened epoch 4", [&] { store->open_epoch(opening_of(epoch, 0)); });
  }
  store->open_epoch(opening_of(5, 0));
  EXPECT_EQ(store->resume_state().epoch, 5u);
}

// If the old checkpoints stayed, one role's share of a step could come from another epoch than the other roles' shares.
// Shares of two epochs do not add up to a model.
TEST_F(Store, OpeningAnEpochDropsWhatItWillDoAgain) {
  const auto store = played_to(20);
  using Names = std::vector<CheckpointName>;
  EXPECT_EQ(store->resume_state().checkpoints, (Names{name_at(10), name_at(20)}));
  store->open_epoch(opening_of(2, 10));
  EXPECT_EQ(store->resume_state().checkpoints, (Names{name_at(10)}));
  EXPECT_EQ(store->starting_point().steps, 10u);
  play(*store, 10, 20, 9);
  store->open_epoch(opening_of(3, 20, 9));
  EXPECT_EQ(store->starting_point().inverses, checkpoint_at(20, 9).inverses);
}

TEST_F(Store, GoesBackToTheStartWhereAnotherRoleHasNoCheckpointYet) {
  const auto store = played_to(10);
  store->open_epoch(opening_of(2, 0, 1, 10));
  EXPECT_TRUE(store->resume_state().checkpoints.empty());
}

TEST_F(Store, LosesNothingWhereAnotherRoleHasLostItsState) {
  const auto store = played_to(20);
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{30}, std::uint64_t{15}}) {
    expect_refusal<DisagreementError>("has other checkpoints, at 10 and 20",
                                      [&] { store->open_epoch(opening_of(2, from)); });
  }
  EXPECT_EQ(store->resume_state().checkpoints, (std::vector<CheckpointName>{name_at(10), name_at(20)}));
  store->open_epoch(opening_of(2, 10));
  expect_refusal<DisagreementError>("has other checkpoints", [&] { store->open_epoch(opening_of(3, 0)); });
  store->open_epoch(opening_of(3, 10));
}

TEST_F(Store, KeepsCurveAndArmsOfTheRoleThatGetsTheRewards) {
  create();
  RewardCurve curve(100);
  {
    const auto store = open();
    store->open_epoch(opening_of(1, 0));
    for (std::uint32_t step = 0; step < 30; ++step) {
      curve.add(step % 3 == 0 ? 1 : 0);
      if ((step + 1) % 10 != 0) continue;
      Checkpoint checkpoint;
      checkpoint.steps = step + 1;
      checkpoint.id = id_at(step + 1);
      checkpoint.curve = curve.state();
      std::vector<std::uint32_t> arms(10);
      for (std::uint32_t i = 0; i < 10; ++i) arms[i] = step - 9 + i;
      store->save(checkpoint, arms);
    }
  }
  {
    const auto store = open();
    EXPECT_EQ(store->pulled_arms().size(), 30u);
    store->open_epoch(opening_of(2, 30));
    EXPECT_EQ(store->starting_point().curve, curve.state());
  }
  const auto store = open();
  store->open_epoch(opening_of(3, 30));
  const std::vector<std::uint32_t> arms = store->pulled_arms();
  ASSERT_EQ(arms.size(), 30u);
  for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(arms[i], i);
}

TEST_F(Store, OpeningAnEpochDropsTheArmsAfterItsStart) {
  create();
  const auto store = open();
  store->open_epoch(opening_of(1, 0));
  const std::vector<std::uint32_t> arms(10, 3);
  for (const std::uint64_t steps : {10u, 20u}) {
    Checkpoint checkpoint;
    checkpoint.steps = steps;
    checkpoint.id = id_at(steps);
    store->save(checkpoint, arms);
  }
  store->open_epoch(opening_of(2, 10));
  EXPECT_EQ(store->pulled_arms().size(), 10u);
}

TEST_F(Store, RemembersThatTheRunIsComplete) {
  create();
  {
    const auto store = open();
    store->open_epoch(opening_of(1, 0));
    play(*store, 0, 100);
    store->mark_complete();
  }
  EXPECT_TRUE(open()->complete());
}

TEST_F(Store, TheDealerHasEpochsOnly) {
  const StoreIdentity dealer = identity_of("dealer");
  create(dealer);
  open(dealer)->open_epoch(opening_of(1, 0));
  const auto store = open(dealer);
  EXPECT_EQ(store->resume_state(), (ResumeState{false, true, 1, {}, 0, 0}));
  store->open_epoch(opening_of(2, 50));
  EXPECT_THROW(store->open_epoch(opening_of(2, 50)), DisagreementError);
}

class StoreAccess : public Store {};

TEST_F(StoreAccess, IsOfOneRoleOneRunAndOneKey) {
  played_to(20);
  const auto other = [](auto change) {
    StoreIdentity identity = identity_of();
    change(identity);
    return identity;
  };
  struct Case {
    StoreIdentity identity;
    unsigned char key;
    std::string says;
  };
  const Case cases[] = {
      {other([](auto& i) { i.role = "party 1"; }), 7, "is the store of party 0, not of party 1"},
      {other([](auto& i) { i.session[0] = 'f'; }), 7, "is of another run (session 0011"},
      {other([](auto& i) { i.parameters = "parties = 2\nsteps = 101\n"; }), 7, "steps = 10"},
      {other([](auto& i) { i.inputs = "sha256:4567"; }), 7, "the input file of party 0"},
      {identity_of(), 8, "does not open with the key of party 0"},
  };
  for (const Case& c : cases) {
    expect_refusal<InputError>("party_0/store.db: ", [&] { (void)open(c.identity, c.key); });
    expect_refusal<InputError>(c.says, [&] { (void)open(c.identity, c.key); });
  }
  EXPECT_EQ(open()->resume_state(), (ResumeState{true, false, 1, {name_at(10), name_at(20)}, 20, 20}));
}

TEST_F(StoreAccess, IsMadeOnceAndMustBeThere) {
  EXPECT_FALSE(RoleStore::exists(folder()));
  expect_not_opened("holds no state");
  create();
  EXPECT_TRUE(RoleStore::exists(folder()));
  expect_refusal<InputError>("--resume", [&] { create(); });
}

TEST_F(StoreAccess, IsUsedByOneProcessAtATime) {
  create();
  const auto store = open();
  expect_refusal<ResourceError>("another process uses this store", [&] { (void)open(); });
  store->open_epoch(opening_of(1, 0));
}

TEST_F(StoreAccess, OnlyItsOwnerHasAccess) {
  const auto store = played_to(10);
  EXPECT_EQ(mode_of(folder()), 0700u);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    EXPECT_EQ(mode_of(entry.path()), 0600u) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3u);  // at least three, because the write-ahead log is there too
}

TEST_F(StoreAccess, RefusesAFolderThatOthersCanEnter) {
  create();
  fs::permissions(folder(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  expect_not_opened("chmod 700");
  fs::permissions(folder(), fs::perms::owner_all);
  fs::permissions(folder() / "store.db", fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  expect_not_opened("chmod 600");
}

}  // namespace
}  // namespace sotto::apps::bandit::run
