#include "sotto/apps/o3m/environment.h"

#include <gtest/gtest.h>

#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

std::string refusal(const std::string& text) {
  const TestFolder folder;
  const auto file = folder.put("env.csv", text);
  return message_of<InputError>(folder, [&] { (void)O3mEnvironment::read(file); });
}

TEST(O3mEnvironment, ReadsRewardsAndMeans) {
  const TestFolder folder;
  const auto environment = O3mEnvironment::read(folder.put(
      "env.csv", "mean,t,arm,reward,note\n.4,2,1,-2,0\n.1,1,0,3,0\n.7,2,0,4,0\n.3,1,1,5,0\n"));
  EXPECT_EQ(environment.steps(), 2u);
  EXPECT_EQ(environment.arms(), 2u);
  EXPECT_EQ(environment.first_step(), 1u);
  EXPECT_EQ(environment.reward(0, 1), 5);
  EXPECT_EQ(environment.reward(1, 1), -2);
  EXPECT_EQ(environment.mean(1, 0), .7);
  EXPECT_NEAR(environment.regret(0, 0).value(), .2, 1e-15);
  EXPECT_EQ(environment.regret(1, 0), 0);
  EXPECT_THROW((void)environment.reward(2, 0), std::out_of_range);
  EXPECT_THROW((void)environment.regret(0, 2), std::out_of_range);
}

TEST(O3mEnvironment, HasNoRegretWithoutMeans) {
  const TestFolder folder;
  const auto environment = O3mEnvironment::read(folder.put("env.csv", "t,arm,reward\n0,0,1\n"));
  EXPECT_FALSE(environment.has_means());
  EXPECT_EQ(environment.mean(0, 0), std::nullopt);
  EXPECT_EQ(environment.regret(0, 0), std::nullopt);
}

TEST(O3mEnvironment, RefusesWhatIsNone) {
  EXPECT_EQ(
      refusal("arm,reward\n0,1\n"),
      "env.csv:1: an O3M environment needs a column 't'; its columns are t,arm,reward[,mean]");
  EXPECT_NE(refusal("t,reward\n0,1\n").find("column 'arm'"), std::string::npos);
  EXPECT_NE(refusal("t,arm,mean\n0,0,1\n").find("column 'reward'"), std::string::npos);
  EXPECT_EQ(refusal("t,arm,reward\n0,0,\n"),
            "env.csv:2:3: the cell is empty, a number is needed (column 'reward')");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,NaN\n"),
            "env.csv:2:3: not a finite number (column 'reward')");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,-1000001\n"),
            "env.csv:2:3: outside [-1000000, 1000000] (column 'reward'); scale the rewards");
  EXPECT_EQ(refusal("t,arm,reward,mean\n0,0,1,2e6\n"),
            "env.csv:2:4: outside [-1000000, 1000000] (column 'mean'); scale the rewards");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,1\n0,1,1\n1,0,1\n").substr(0, 35),
            "env.csv:4: no row of step 1, arm 1,");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,1\n0,0,1\n"),
            "env.csv:3: a second row of step 0, arm 0; the first is env.csv:2");
}

}  // namespace
}  // namespace sotto::apps
