#include "apps/bandit/model/twin/plain_plays.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit {
namespace {

constexpr std::uint64_t steps = 120;

// Feature 0 says which of two arms earns. Feature 1 is noise.
class SmallWorld {
 public:
  SmallWorld() {
    std::mt19937_64 random(3);
    for (std::uint64_t step = 0; step < steps; ++step) {
      rows_.push_back({random() % 2 == 0 ? .6 : -.6, random() % 2 == 0 ? .5 : -.5});
    }
  }
  [[nodiscard]] PlainWorld world() const {
    return {[this](std::uint64_t step) { return std::span<const double>(rows_[step]); },
            [this](std::uint64_t step, std::size_t arm) { return (rows_[step][0] > 0) == (arm == 0) ? 1. : 0.; },
            BatchSchedule::even(steps, 8), 2, .1};
  }

 private:
  std::vector<std::vector<double>> rows_;
};

std::function<std::uint64_t()> counting(std::uint64_t& seeds) {
  return [&seeds] { return ++seeds; };
}

TEST(PlainPlays, AreMeansOverPlaysWithOtherCoins) {
  const SmallWorld small;
  const std::vector<PlainPolicy> policies{{"all together", 0, 2}};
  std::uint64_t seeds = 0;
  const auto plays = play_in_plain_text(small.world(), policies, {5, 5, 0}, counting(seeds));
  ASSERT_EQ(plays.size(), 1U);
  EXPECT_EQ(plays[0].plays, 5U);
  EXPECT_EQ(seeds, 5U);
  const PlainWorld world = small.world();
  double sum = 0;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double reward = run_plaintext(world.contexts, world.rewards, world.order, 2, 2, .1, seed).average_reward;
    sum += reward;
    squares += reward * reward;
  }
  EXPECT_NEAR(plays[0].average_reward, sum / 5, 1e-12);
  EXPECT_NEAR(plays[0].sd, std::sqrt((squares - sum * sum / 5) / 4), 1e-9);
  EXPECT_GT(plays[0].sd, 0);
  EXPECT_EQ(plays[0].reward_curve.back().step, steps);
  EXPECT_NEAR(plays[0].reward_curve.back().average_reward, plays[0].average_reward, 1e-12);
  EXPECT_NEAR(*plays[0].reward_curve.back().sd, plays[0].sd, 1e-9);
}

TEST(PlainPlays, SeeOnlyTheirOwnFeatures) {
  const SmallWorld small;
  const std::vector<PlainPolicy> policies{{"party 0", 0, 1}, {"party 1", 1, 1}, {"all together", 0, 2}};
  std::uint64_t seeds = 0;
  const auto plays = play_in_plain_text(small.world(), policies, {20, 20, 0}, counting(seeds));
  EXPECT_GT(plays[0].average_reward, .85);
  EXPECT_NEAR(plays[1].average_reward, .5, .1);
  EXPECT_GT(plays[2].average_reward, .8);
}

TEST(PlainPlays, AreAtLeastSoManyWhateverTheTime) {
  const SmallWorld small;
  const std::vector<PlainPolicy> policies{{"all together", 0, 2}};
  std::uint64_t seeds = 0;
  EXPECT_EQ(play_in_plain_text(small.world(), policies, {20, 100, 0}, counting(seeds))[0].plays, 20U);
  EXPECT_EQ(play_in_plain_text(small.world(), policies, {1, 3, 1e6}, counting(seeds))[0].plays, 3U);
  const auto once = play_in_plain_text(small.world(), policies, {1, 1, 0}, counting(seeds));
  EXPECT_EQ(once[0].sd, 0);
  EXPECT_FALSE(once[0].reward_curve.back().sd);
}

}  // namespace
}  // namespace sotto::apps::bandit
