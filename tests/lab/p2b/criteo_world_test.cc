#include "sotto/bench/lab/p2b/criteo_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sotto/core/error/errors.h"
#include "tests/apps/kit/data/criteo_sample.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

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
