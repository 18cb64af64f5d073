#include "sotto/bench/lab/measure/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sotto/apps/bandit/local_run.h"
#include "sotto/apps/kit/files/private_folder.h"
#include "sotto/bench/lab/measure/bandit_trial.h"

namespace sotto::apps {
namespace {

TEST(SyntheticData, HasContextsOfNormOne) {
  const SyntheticData data = make_data(200, 7, 5, 1);
  ASSERT_EQ(data.contexts.size(), 1400u);
  ASSERT_EQ(data.labels.size(), 200u);
  for (std::size_t row = 0; row < 200; ++row) {
    double square = 0;
    for (const double x : data.context(row)) square += x * x;
    EXPECT_NEAR(square, 1, 1e-12);
  }
  EXPECT_EQ(std::set(data.labels.begin(), data.labels.end()), (std::set{0u, 1u, 2u, 3u, 4u}));
  EXPECT_EQ(make_data(200, 7, 5, 1).contexts, data.contexts);
  EXPECT_NE(make_data(200, 7, 5, 2).contexts, data.contexts);
}

TEST(SyntheticData, CanBeReadByARun) {
  const PrivateFolder folder;
  const SyntheticData data = make_data(30, 7, 40, 1);
  const BanditOptions options = write_data(data, 3, folder.path());
  const LocalInputs inputs = read_local_inputs(options);
  ASSERT_EQ(inputs.blocks.size(), 3u);
  EXPECT_EQ(inputs.blocks[0].table.columns.size(), 3u);
  EXPECT_EQ(inputs.blocks[2].table.columns.size(), 2u);
  EXPECT_EQ(inputs.environment.arms(), 40u);
  EXPECT_TRUE(inputs.environment.binary_rewards());
  for (std::size_t row = 0; row < 30; ++row) {
    EXPECT_EQ(inputs.blocks[1].table.values[2 * row], data.context(row)[3]);
    EXPECT_EQ(inputs.environment.reward(row, data.labels[row]), 1);
  }
}

TEST(BanditTrial, TakesAsManyStepsAsMemoryAllows) {
  const BanditTrial few({2, 4, 3, 50, false});
  EXPECT_EQ(few.configuration().steps, 50u);
  const BanditTrial ahead({2, 20, 40, 100'000, false});
  EXPECT_LT(ahead.configuration().steps, 100'000u);
  EXPECT_GT(ahead.configuration().steps, 1u);
  const BanditTrial streaming({2, 20, 40, 100'000, true});
  EXPECT_EQ(streaming.configuration().steps, 100'000u);
}

}  // namespace
}  // namespace sotto::apps
