#include "sotto/bench/lab/o3m_paper/criteo_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/kit/data/criteo_sample.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

const std::atomic<bool> not_interrupted{false};

CriteoSettings settings_of(const TestFolder& folder, std::size_t rows, std::size_t kinds = 48) {
  CriteoSettings settings;
  settings.file = folder.put("log.txt", criteo_sample(rows, 4, kinds));
  return settings;
}

TEST(CriteoRun, ReplaysAllPoliciesAndTheMaskLosesNothing) {
  const TestFolder folder;
  const CriteoRuns runs = run_criteo(settings_of(folder, 6000), not_interrupted);
  EXPECT_TRUE(runs.arms_equal);
  ASSERT_EQ(runs.policies.size(), 5u);
  for (const CriteoPolicy& policy : runs.policies) {
    for (const ReplayEstimate& run : policy.runs) {
      EXPECT_EQ(run.events(), runs.items.kept) << policy.key;
      EXPECT_GT(run.kept(), 0u) << policy.key;
      EXPECT_GT(run.curve().size(), 50u);
    }
  }
  EXPECT_EQ(runs.policy("linucb_20").runs.size(), 5u);
  EXPECT_EQ(runs.policy("linucb_20").features, 8u);
  EXPECT_EQ(runs.policy("linucb_80").features, 31u);
  EXPECT_EQ(runs.policy("random").runs.size(), 5u);
  EXPECT_EQ(*runs.policy("vfucb").ctr(), *runs.policy("linucb").ctr());
  EXPECT_NEAR(runs.relative_ctr("vfucb")[0],
              *runs.policy("vfucb").ctr() / *runs.policy("random").ctr(), 1e-12);
  // By construction the rates of random play average 1.
  double sum = 0;
  for (const double relative : runs.relative_ctr("random")) sum += relative;
  EXPECT_NEAR(sum / 5, 1, 1e-12);
  EXPECT_THROW((void)runs.policy("nobody"), std::invalid_argument);
}

// In the sample some kinds of items earn more, and all arms are shown alike often: who learns earns more
// than random play.
TEST(CriteoRun, LearnsWhatTheSampleHasToTeachStatistical) {
  const TestFolder folder;
  CriteoSettings settings = settings_of(folder, 60'000, 10);
  settings.arms = 10;
  const CriteoRuns runs = run_criteo(settings, not_interrupted);
  EXPECT_GT(runs.relative_ctr("vfucb")[0], 1.08);
}

TEST(CriteoRun, IsRepeatable) {
  const TestFolder folder;
  const CriteoSettings settings = settings_of(folder, 2500);
  const CriteoRuns once = run_criteo(settings, not_interrupted);
  const CriteoRuns again = run_criteo(settings, not_interrupted);
  for (std::size_t i = 0; i < once.policies.size(); ++i) {
    EXPECT_EQ(once.policies[i].ctr(), again.policies[i].ctr());
  }
}

TEST(CriteoRun, SaysNothingWhereRandomPlayEarnsNothing) {
  const TestFolder folder;
  std::string text = criteo_sample(1200, 4);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) text[at] = '0';
  CriteoSettings settings;
  settings.file = folder.put("log.txt", text);
  const CriteoRuns runs = run_criteo(settings, not_interrupted);
  EXPECT_TRUE(runs.relative_ctr("vfucb").empty());
}

TEST(CriteoRun, RefusesScalesThatAreNone) {
  const TestFolder folder;
  CriteoSettings settings = settings_of(folder, 100);
  for (const double scale : {-1., 1e9}) {
    settings.scales[3] = scale;
    EXPECT_THROW((void)run_criteo(settings, not_interrupted), InputError);
  }
}

}  // namespace
}  // namespace sotto::apps
