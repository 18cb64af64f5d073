#include "sotto/apps/o3m/synthetic_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/apps/kit/learn/instance.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

TEST(SyntheticO3m, WritesTheInstanceInParts) {
  const TestFolder folder;
  SyntheticO3m options;
  options.steps = 7;
  options.arms = 3;
  options.split = {1, 4, 2};
  options.seed = 9;
  options.output = folder.path() / "new" / "data";
  const O3mInputs inputs = read_o3m_inputs(write_synthetic_o3m(options));
  ASSERT_EQ(inputs.participants.size(), 3u);
  ASSERT_EQ(inputs.steps(), 7u);
  ASSERT_EQ(inputs.arms(), 3u);
  ASSERT_EQ(inputs.dimension(), 7u);
  const LinearInstance instance({7, 3, options.noise_sd, 9});
  std::vector<double> expected(21);
  std::vector<double> read(21);
  for (std::size_t t = 0; t < 7; ++t) {
    instance.contexts(0, t, expected);
    join_contexts(inputs, t, read);
    for (std::size_t i = 0; i < 21; ++i) EXPECT_NEAR(read[i], expected[i], 1e-9);
    for (std::size_t arm = 0; arm < 3; ++arm) {
      const double mean = instance.mean({expected.data() + arm * 7, 7});
      EXPECT_NEAR(inputs.environment.mean(t, arm).value(), mean, 1e-9);
      EXPECT_NEAR(inputs.environment.reward(t, arm), mean + instance.noise(0, t), 1e-9);
    }
  }
}

TEST(SyntheticO3m, RefusesWhatIsOutOfRange) {
  const TestFolder folder;
  const auto refusal = [&](auto change) {
    SyntheticO3m options;
    options.output = folder.path() / "out";
    change(options);
    return message_of<InputError>(folder, [&] { (void)write_synthetic_o3m(options); });
  };
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.split = {3}; }),
            "--split: 1 participant; there can be 2 to 8");
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.split.assign(9, 1); }).substr(0, 8), "--split:");
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.split = {3, 0}; }).substr(0, 8), "--split:");
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.arms = 0; }), "--arms: there can be 1 to 1024 arms");
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.arms = 1025; }).substr(0, 7), "--arms:");
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.steps = 0; }).substr(0, 8), "--steps:");
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.steps = UINT64_MAX; }).substr(0, 8), "--steps:");
  for (const double bad : {-1.0, 1001.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(refusal([&](SyntheticO3m& o) { o.noise_sd = bad; }).substr(0, 8), "--noise:");
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

}  // namespace
}  // namespace sotto::apps
