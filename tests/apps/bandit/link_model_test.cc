#include "sotto/apps/bandit/link_model.h"

#include <gtest/gtest.h>

#include <vector>

namespace sotto::apps {
namespace {

using namespace std::chrono_literals;

// Nodes 0 and 1 are parties, 2 is the actor; each round has the frames {from, to, bytes}.
struct Frame {
  std::size_t from, to, bytes;
};
StepFrames frames_of(const std::vector<std::vector<Frame>>& rounds) {
  StepFrames frames{2, 3, {}};
  for (const std::vector<Frame>& round : rounds) {
    frames.rounds.emplace_back(9, 0);
    for (const Frame& f : round) frames.rounds.back()[f.from * 3 + f.to] = f.bytes;
  }
  return frames;
}

const std::vector<Frame> exchange = {{0, 1, 1000}, {1, 0, 1000}};

TEST(LinkModel, CountsRoundsAndTheLargestFrameOfEach) {
  const StepFrames frames = frames_of({exchange, {{0, 1, 3000}, {1, 0, 3000}, {0, 2, 10}}});
  const LinkModel model = model_step(frames, {20ms, 0ms, 8'000'000});
  EXPECT_NEAR(model.delay, 0.04, 1e-9);
  EXPECT_NEAR(model.transfer, 0.004, 1e-9);
  EXPECT_NEAR(model.jitter, 0, 1e-9);
  EXPECT_NEAR(model.arithmetic, 0, 1e-9);
}

// The arm goes to the actor beside a large frame, and the reward comes back: the large frame decides.
TEST(LinkModel, FollowsThePathThatDecides) {
  const StepFrames frames =
      frames_of({{{0, 1, 5000}, {1, 0, 5000}, {0, 2, 100}, {1, 2, 100}}, {{2, 0, 100}, {2, 1, 100}}});
  const LinkModel model = model_step(frames, {10ms, 0ms, 8'000'000});
  // The actor's answer of round 1 is here at 10.1 + 10.1 ms, while the parties are ready at 15 ms; what they send next
  // leaves at 20.2 ms.
  EXPECT_NEAR(model.total(), 0.0202, 1e-4);
}

// Where two only answer each other, each waits for one frame: nothing but the mean counts.
TEST(LinkModel, JitterOfTwoIsItsMean) {
  const LinkModel model = model_step(frames_of({exchange}), {20ms, 2ms, 0});
  EXPECT_NEAR(model.delay, 0.020, 1e-9);
  EXPECT_NEAR(model.jitter, 0.001, 1e-4);
}

TEST(LinkModel, ArithmeticIsThatOfTheSlowest) {
  const Arithmetic arithmetic{{0.001, 0.003, 0}};
  const LinkModel model = model_step(frames_of({exchange, exchange}), {}, arithmetic);
  EXPECT_NEAR(model.total(), 0.006, 1e-5);
  EXPECT_NEAR(model.arithmetic, 0.006, 1e-5);
}

TEST(LinkModel, NodesShareCores) {
  const StepFrames frames = frames_of({exchange});
  EXPECT_NEAR(model_step(frames, {}, {{0.001, 0.003, 0}, 2}).total(), 0.003, 1e-5);
  EXPECT_NEAR(model_step(frames, {}, {{0.001, 0.003, 0}, 1}).total(), 0.004, 1e-5);
}

TEST(LinkModel, ErrorIsOfTheModel) {
  LinkModel model{0.09, 0.005, 0, 0.005, 0.08};
  EXPECT_NEAR(model.total(), 0.1, 1e-12);
  EXPECT_NEAR(model.error_percent(), 25, 1e-9);
}

}  // namespace
}  // namespace sotto::apps
