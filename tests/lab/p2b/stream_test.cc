#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "sotto/bench/lab/p2b/criteo_world.h"
#include "sotto/bench/lab/p2b/stream.h"
#include "sotto/core/error/errors.h"
#include "tests/apps/kit/data/criteo_sample.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

TEST(Stream, FollowsFromItsKeyAlone) {
  Stream a({1, 2, 3}), b({1, 2, 3});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  std::set<std::uint64_t> firsts;
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (std::uint64_t j = 0; j < 50; ++j) firsts.insert(Stream({7, i, j}).next());
  }
  EXPECT_EQ(firsts.size(), 2500u) << "other keys, other streams";
  EXPECT_NE(Stream({1, 2}).next(), Stream({2, 1}).next());
}

TEST(Stream, StaysWithinItsBounds) {
  Stream stream({5});
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(stream.below(1), 0u);
    seen.insert(stream.below(7));
    const double unit = stream.unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
    EXPECT_LT(stream.below(UINT64_MAX), UINT64_MAX);
  }
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(StreamStatistical, HasTheMomentsOfItsDistributions) {
  Stream stream({9});
  constexpr int n = 200'000;
  double unit = 0, normal = 0, squares = 0, fourths = 0;
  for (int i = 0; i < n; ++i) {
    unit += stream.unit() / n;
    const double x = stream.normal();
    normal += x / n;
    squares += x * x / n;
    fourths += x * x * x * x / n;
  }
  EXPECT_NEAR(unit, .5, 5 * .2887 / std::sqrt(n));
  EXPECT_NEAR(normal, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourths, 3, 5 * std::sqrt(96.0 / n));
}

using testing::HasSubstr;

const std::atomic<bool> not_interrupted{false};

CriteoWorldSettings settings_for(const std::filesystem::path& file) {
  CriteoWorldSettings settings;
  settings.file = file;
  settings.arms = 8;
  settings.users = 30;
  settings.steps = 20;
  return settings;
}

TEST(CriteoWorld, MakesUsersOfTheLog) {
  const TestFolder folder;
  const CriteoWorldSettings settings = settings_for(folder.put("log.txt", criteo_sample(4000, 1)));
  const CriteoData data = read_criteo_world(settings, not_interrupted);
  EXPECT_EQ(data.rows, 4000u);
  EXPECT_EQ(data.world->users(), 30u);
  EXPECT_EQ(data.steps, 600u);
  EXPECT_EQ(data.world->arms(), 8u);
  EXPECT_EQ(data.context.size(), 10u);
  EXPECT_EQ(data.context.front(), 0u) << "the sample's first integer is never missing";
  EXPECT_GT(data.clicks, 50u);
  std::vector<double> contexts;
  std::uint64_t clicks = 0;
  for (std::size_t user = 0; user < 30; ++user) {
    ASSERT_EQ(data.world->meet(user, contexts), 20u);
    for (std::size_t step = 0; step < 20; ++step) {
      const auto context = std::span<const double>(contexts).subspan(step * 10, 10);
      EXPECT_NEAR(std::accumulate(context.begin(), context.end(), 0.0), 1, 1e-9);
      const auto shown = data.world->logged_arm(user, step);
      ASSERT_TRUE(shown && *shown < 8);
      clicks += data.world->reward(user, step, context, *shown) > 0 ? 1U : 0U;
    }
  }
  EXPECT_EQ(clicks, data.clicks);
}

TEST(CriteoWorld, PaysForTheClickedKindWhereAskedTo) {
  const TestFolder folder;
  CriteoWorldSettings settings = settings_for(folder.put("log.txt", criteo_sample(4000, 1)));
  settings.clicked_only = true;
  settings.users = 5;
  const CriteoData data = read_criteo_world(settings, not_interrupted);
  EXPECT_EQ(data.clicks, data.steps);
  EXPECT_FALSE(data.world->logged_arm(0, 0));
  double paid = 0;
  for (std::size_t arm = 0; arm < 8; ++arm) paid += data.world->reward(3, 7, {}, arm);
  EXPECT_EQ(paid, 1);
}

TEST(CriteoWorld, RefusesLogsThatAreTooShort) {
  const TestFolder folder;
  CriteoWorldSettings settings = settings_for(folder.put("log.txt", criteo_sample(100, 1)));
  settings.steps = 90;
  EXPECT_THAT(
      message_of<InputError>(folder, [&] { (void)read_criteo_world(settings, not_interrupted); }),
      HasSubstr("log.txt: "));
  settings.dimension = 14;
  EXPECT_THROW((void)read_criteo_world(settings, not_interrupted), InputError);
}

}  // namespace
}  // namespace sotto::apps
