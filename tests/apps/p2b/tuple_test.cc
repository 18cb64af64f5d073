#include "sotto/apps/p2b/tuple.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sotto/apps/kit/data/seeded.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr int samples = 200'000;

// How often each of four interactions is reported, and none, of rewards 0, 1, 0, 0.5.
std::array<double, 5> shares(TupleChoice choice, double p, std::span<const double> rewards) {
  SeededDraws draws(5);
  std::array<double, 5> share{};
  for (int i = 0; i < samples; ++i) {
    const auto place = choose_report(rewards, p, choice, draws);
    share[place ? *place : 4] += 1.0 / samples;
  }
  return share;
}

void expect_share(double share, double expected) {
  EXPECT_NEAR(share, expected, 5 * std::sqrt(expected * (1 - expected) / samples) + 1e-12);
}

TEST(P2bTuple, UniformIgnoresRewardsStatistical) {
  const std::array<double, 4> rewards{0, 1, 0, 0.5};
  const auto share = shares(TupleChoice::uniform, 0.4, rewards);
  for (int i = 0; i < 4; ++i) expect_share(share[i], 0.1);
  expect_share(share[4], 0.6);
  // To the last draw: the same coins choose the same interaction whatever it earned.
  const std::array<double, 4> nothing{0, 0, 0, 0};
  EXPECT_EQ(shares(TupleChoice::uniform, 0.4, nothing), share);
}

TEST(P2bTuple, PublishedPrefersRewardsStatistical) {
  const std::array<double, 4> rewards{0, 1, 0, 0.5};
  const auto share = shares(TupleChoice::published, 0.5, rewards);
  for (const int rewarded : {1, 3}) expect_share(share[rewarded], 0.5 * 0.95 / 2);
  for (const int other : {0, 2}) expect_share(share[other], 0.5 * 0.05 / 2);
  // All rewarded: in 5 of 100 there is none to report. None rewarded: any is reported.
  const std::array<double, 4> all{1, 1, 1, 1};
  expect_share(shares(TupleChoice::published, 0.5, all)[4], 0.5 + 0.5 * 0.05);
  const std::array<double, 4> none{0, 0, 0, 0};
  expect_share(shares(TupleChoice::published, 0.5, none)[4], 0.5);
  expect_share(shares(TupleChoice::published, 0.5, none)[0], 0.125);
}

TEST(P2bTuple, NothingToReport) {
  SeededDraws draws(1);
  EXPECT_FALSE(choose_interaction(std::span<const double>(), TupleChoice::uniform, draws));
  EXPECT_FALSE(choose_interaction(std::span<const double>(), TupleChoice::published, draws));
}

TEST(P2bTuple, ClipsRewardsAndCountsThem) {
  std::uint64_t clipped = 0;
  EXPECT_EQ(clip_reward(0.25, clipped), 0.25);
  EXPECT_EQ(clip_reward(0, clipped), 0);
  EXPECT_EQ(clip_reward(1, clipped), 1);
  EXPECT_EQ(clipped, 0U);
  EXPECT_EQ(clip_reward(-3, clipped), 0);
  EXPECT_EQ(clip_reward(2, clipped), 1);
  EXPECT_EQ(clip_reward(std::nan(""), clipped), 0);
  EXPECT_EQ(clipped, 3U);
}

TEST(P2bTuple, NamesOfChoices) {
  for (const TupleChoice choice : {TupleChoice::uniform, TupleChoice::published}) {
    EXPECT_EQ(parse_tuple_choice(tuple_choice_name(choice), "--tuple-choice"), choice);
  }
  EXPECT_THROW((void)parse_tuple_choice("best", "--tuple-choice"), InputError);
}

}  // namespace
}  // namespace sotto::apps
