// What is measured comes out as so many positive numbers; how large they are is nobody's business
// here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/bench/lab/measure/batches.h"
#include "sotto/bench/lab/measure/floor_tables.h"
#include "sotto/bench/lab/measure/kernel_speed.h"
#include "sotto/bench/lab/measure/replay.h"
#include "sotto/bench/lab/measure/samples.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Gt;
using ::testing::SizeIs;

const std::atomic<bool> go_on{false};

TEST(Samples, HaveAMedianAndALeast) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 8, 2}), 3);
  EXPECT_EQ(least({9, 1, 5}), 1);
  EXPECT_THROW((void)median({}), std::invalid_argument);
  EXPECT_THROW((void)least({}), std::invalid_argument);
}

TEST(Batches, KeepWithinTheTime) {
  const auto cut = [](std::uint64_t wanted, double trial_us, double seconds) {
    const Batches batches = plan_batches(wanted, trial_us, seconds);
    return std::pair{batches.repetitions, batches.count};
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(cut(2000, 100, 4), Pair(200, 10));
  EXPECT_EQ(cut(2000, 10'000, 4), Pair(40, 10));
  EXPECT_EQ(cut(2000, 1e6, 4), Pair(1, 4));
  EXPECT_EQ(cut(2000, 1e9, 4), Pair(1, 3));
  EXPECT_EQ(cut(1, 1, 4), Pair(1, 3));
  EXPECT_EQ(cut(2000, 0, 4), Pair(200, 10));
}

TEST(Replay, GivesATimeForEachBatch) {
  const StepFrames frames = step_frames(even_plan(3, 6, 4, 10));
  for (const Waiting waiting : {Waiting::yielding, Waiting::spinning, Waiting::blocking}) {
    EXPECT_THAT(replay_steps(frames, waiting, 2, 3, go_on), AllOf(SizeIs(3), Each(Gt(0.0))));
  }
}

TEST(Replay, TakesFramesLargerThanTheBuffersOfASocket) {
  constexpr std::size_t large = std::size_t{24} << 20;
  const StepFrames frames{2, 2, {{0, large, large, 0}, {0, large, 0, 0}}};
  EXPECT_THAT(replay_steps(frames, Waiting::yielding, 1, 1, go_on),
              AllOf(SizeIs(1), Each(Gt(0.0))));
}

TEST(Replay, TakesFewStepsWhereThereIsNoTime) {
  const StepFrames frames{2, 2, {{0, 100, 100, 0}}};
  EXPECT_THAT(replay_within(frames, Waiting::blocking, 1000, 0, go_on), SizeIs(3));
  EXPECT_THAT(replay_within(frames, Waiting::blocking, 40, 1e9, go_on), SizeIs(10));
}

TEST(Replay, EndsWhenInterrupted) {
  const StepFrames frames{2, 2, {{0, 0, 100, 0}}};
  const std::atomic<bool> interrupted{true};
  EXPECT_THROW((void)replay_steps(frames, Waiting::blocking, 1'000'000, 10, interrupted),
               Interrupted);
}

TEST(Replay, GoesOverTlsAsWell) {
  const StepFrames step = step_frames(even_plan(3, 6, 4, 10));
  constexpr std::size_t large = std::size_t{5} << 20;
  const StepFrames exchange{2, 2, {{0, large, 1, 0}, {0, 16384, 0, 0}}};
  for (const Waiting waiting : {Waiting::yielding, Waiting::spinning, Waiting::blocking}) {
    for (const StepFrames& frames : {step, exchange}) {
      EXPECT_THAT(replay_steps(frames, waiting, 3, 2, go_on, Carrier::tls),
                  AllOf(SizeIs(2), Each(Gt(0.0))));
    }
  }
}

TEST(KernelSpeeds, GiveARateForEachBatch) {
  const std::vector<KernelSpeed> speeds = kernel_speeds(0, 2);
  EXPECT_THAT(speeds, SizeIs(4));
  for (const KernelSpeed& speed : speeds) {
    EXPECT_THAT(speed.batches, AllOf(SizeIs(2), Each(Gt(0.0)))) << speed.what;
  }
}

TEST(FloorTables, HaveARowForEachConfiguration) {
  const std::vector<StepFrames> configurations{step_frames(even_plan(2, 4, 3, 10)),
                                               step_frames(even_plan(3, 4, 3, 10))};
  EXPECT_EQ(step_table(configurations, "steps", 3, go_on).rows(), 2u);
  EXPECT_EQ(frame_table(configurations).rows(), 14u);
  EXPECT_EQ(exchange_table(1, go_on).rows(), 3u);
  EXPECT_EQ(bandwidth_table(1, go_on).rows(), 4u);
}

}  // namespace
}  // namespace sotto::apps
