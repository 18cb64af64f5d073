// What a store gives back: epochs, checkpoints, counts of steps.
#include "apps/state/store.h"

#include <algorithm>
#include <random>

#include "core/error/errors.h"
#include "tests/apps/state/stores.h"

namespace sotto::apps {
namespace {

using namespace testing;

TEST_F(Store, GivesBackWhatWasStoredInAnotherProcess) {
  create();
  {
    const auto store = open();
    EXPECT_EQ(store->standing(), (net::Standing{true, 0, {}, 0}));
    store->open_epoch({1, 0, 0});
    play(*store, 0, 37, 5);
  }
  const auto store = open();
  EXPECT_EQ(store->standing(), (net::Standing{true, 1, {20, 30}, 37}));
  EXPECT_FALSE(store->complete());
  store->open_epoch({2, 30, 7});
  const Checkpoint checkpoint = store->starting_point();
  EXPECT_EQ(checkpoint.steps, 30u);
  EXPECT_EQ(checkpoint.epoch, 1u);
  EXPECT_EQ(checkpoint.inverses, checkpoint_at(30, 5).inverses);
  EXPECT_EQ(checkpoint.targets, checkpoint_at(30, 5).targets);
  EXPECT_EQ(checkpoint.progress, (StepCounts{30, 30}));
}

TEST_F(Store, CountsTheStepsOfAllEpochs) {
  create();
  open()->open_epoch({1, 0, 0});
  {
    const auto store = open();
    store->open_epoch({2, 0, 0});
    play(*store, 0, 14);
  }
  {
    const auto store = open();
    EXPECT_EQ(store->progress(), (StepCounts{14, 14}));
    store->open_epoch({3, 10, 4});
    play(*store, 10, 12);
  }
  const auto store = open();
  EXPECT_EQ(store->progress(), (StepCounts{14, 16}));
  EXPECT_EQ(store->standing().begun, 14u);
}

TEST_F(Store, OpensNoEpochTwice) {
  create();
  const auto store = open();
  store->open_epoch({4, 0, 0});
  for (const std::uint32_t epoch : {0u, 1u, 3u, 4u}) {
    const std::string text = refusal<DisagreementError>([&] { store->open_epoch({epoch, 0, 0}); });
    EXPECT_NE(text.find("has opened epoch 4"), std::string::npos) << text;
  }
  store->open_epoch({5, 0, 0});
  EXPECT_EQ(store->standing().epoch, 5u);
}

// Otherwise shares of one step but of two epochs could meet, and they do not add up.
TEST_F(Store, OpeningAnEpochDropsWhatItWillDoAgain) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  play(*store, 0, 20);
  EXPECT_EQ(store->standing().checkpoints, (std::vector<std::uint64_t>{10, 20}));
  store->open_epoch({2, 10, 0});
  EXPECT_EQ(store->standing().checkpoints, (std::vector<std::uint64_t>{10}));
  EXPECT_EQ(store->starting_point().steps, 10u);
  // The next checkpoint of this epoch replaces none of the old.
  play(*store, 10, 20, 9);
  store->open_epoch({3, 20, 0});
  EXPECT_EQ(store->starting_point().inverses, checkpoint_at(20, 9).inverses);
}

TEST_F(Store, GoesBackToTheStartWhereAnotherRoleHasNoCheckpointYet) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  play(*store, 0, 10);
  store->open_epoch({2, 0, 10});
  EXPECT_TRUE(store->standing().checkpoints.empty());
}

TEST_F(Store, LosesNothingWhereAnotherRoleHasLostItsState) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  play(*store, 0, 20);
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{30}, std::uint64_t{15}}) {
    const std::string text = refusal<DisagreementError>([&] { store->open_epoch({2, from, 0}); });
    EXPECT_NE(text.find("checkpoints at 10 and 20"), std::string::npos) << text;
  }
  EXPECT_EQ(store->standing().checkpoints, (std::vector<std::uint64_t>{10, 20}));
  store->open_epoch({2, 10, 0});
  refusal<DisagreementError>([&] { store->open_epoch({3, 0, 0}); });
  store->open_epoch({3, 10, 0});
}

TEST_F(Store, KeepsCurveAndArmsOfTheRoleThatGetsTheRewards) {
  create();
  RewardCurve curve(100);
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    for (std::uint32_t step = 0; step < 30; ++step) {
      curve.add(step % 3 == 0 ? 1 : 0);
      if ((step + 1) % 10 != 0) continue;
      Checkpoint checkpoint;
      checkpoint.steps = step + 1;
      checkpoint.curve = curve.state();
      std::vector<std::uint32_t> arms(10);
      for (std::uint32_t i = 0; i < 10; ++i) arms[i] = step - 9 + i;
      store->save(checkpoint, arms);
    }
  }
  {
    const auto store = open();
    EXPECT_EQ(store->pulled_arms().size(), 30u);
    store->open_epoch({2, 30, 0});
    EXPECT_EQ(store->starting_point().curve, curve.state());
  }
  const auto store = open();
  store->open_epoch({3, 30, 0});
  const std::vector<std::uint32_t> arms = store->pulled_arms();
  ASSERT_EQ(arms.size(), 30u);
  for (std::uint32_t i = 0; i < 30; ++i) EXPECT_EQ(arms[i], i);
}

TEST_F(Store, OpeningAnEpochDropsTheArmsAfterItsStart) {
  create();
  const auto store = open();
  store->open_epoch({1, 0, 0});
  const std::vector<std::uint32_t> arms(10, 3);
  for (const std::uint64_t steps : {10u, 20u}) {
    Checkpoint checkpoint;
    checkpoint.steps = steps;
    store->save(checkpoint, arms);
  }
  store->open_epoch({2, 10, 0});
  EXPECT_EQ(store->pulled_arms().size(), 10u);
}

TEST_F(Store, RemembersThatTheRunIsComplete) {
  create();
  {
    const auto store = open();
    store->open_epoch({1, 0, 0});
    play(*store, 0, 100);
    store->mark_complete();
  }
  EXPECT_TRUE(open()->complete());
}

TEST_F(Store, TheDealerHasEpochsOnly) {
  const StoreIdentity dealer = identity_of("dealer");
  create(dealer);
  open(dealer)->open_epoch({1, 0, 0});
  const auto store = open(dealer);
  EXPECT_EQ(store->standing(), (net::Standing{false, 1, {}, 0}));
  store->open_epoch({2, 50, 0});
  EXPECT_THROW(store->open_epoch({2, 50, 0}), DisagreementError);
}

}  // namespace
}  // namespace sotto::apps
