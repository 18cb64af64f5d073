#include "sotto/apps/kit/data/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

Environment read_text(std::string_view text, std::optional<std::size_t> arms = std::nullopt) {
  const TestFolder folder;
  return Environment::read(folder.put("e.csv", text), arms);
}

std::string refusal(std::string_view text, std::optional<std::size_t> arms = std::nullopt) {
  const TestFolder folder;
  const auto path = folder.put("e.csv", text);
  return message_of<InputError>(folder, [&] { (void)Environment::read(path, arms); });
}

TEST(Environment, LabelsPayOneForTheRightArm) {
  const Environment environment = read_text("age,label\n50,2\n60,0\n");
  EXPECT_EQ(environment.rows(), 2U);
  EXPECT_EQ(environment.arms(), 3U);
  EXPECT_TRUE(environment.binary_rewards());
  EXPECT_EQ(environment.reward(0, 0), 0);
  EXPECT_EQ(environment.reward(0, 1), 0);
  EXPECT_EQ(environment.reward(0, 2), 1);
  EXPECT_EQ(environment.reward(1, 0), 1);
  EXPECT_EQ(environment.best_reward(1), 1);
  EXPECT_THROW((void)environment.reward(2, 0), std::out_of_range);
  EXPECT_THROW((void)environment.reward(0, 3), std::out_of_range);
  EXPECT_THROW((void)environment.best_reward(2), std::out_of_range);
}

TEST(Environment, MoreArmsThanLabelsEarnNothing) {
  const Environment environment = read_text("label\n0\n1\n", 4);
  EXPECT_EQ(environment.arms(), 4U);
  EXPECT_EQ(environment.reward(1, 3), 0);
  EXPECT_EQ(read_text("label\n0\n0\n").arms(), 1U);
}

TEST(Environment, RewardColumnsInAnyOrder) {
  const Environment environment = read_text("reward_1,x,reward_0\n0.5,9,-1\n0,9,0\n");
  EXPECT_EQ(environment.arms(), 2U);
  EXPECT_FALSE(environment.binary_rewards());
  EXPECT_EQ(environment.reward(0, 0), -1);
  EXPECT_EQ(environment.reward(0, 1), 0.5);
  EXPECT_EQ(environment.best_reward(0), 0.5);
  EXPECT_EQ(read_text("reward_0\n1\n", 1).arms(), 1U);
  EXPECT_TRUE(read_text("reward_0,reward_1\n0,1\n1,1\n").binary_rewards());
  EXPECT_FALSE(read_text("reward_0,reward_1\n0,-1\n").binary_rewards());
}

TEST(Environment, ElevenArmsAreOrderedByNumber) {
  std::string header;
  std::string row;
  for (int k = 0; k < 11; ++k) {
    header += (k == 0 ? "reward_" : ",reward_") + std::to_string(k);
    row += (k == 0 ? "0." : ",0.") + std::to_string(10 + k);
  }
  const Environment environment = read_text(header + "\n" + row + "\n");
  for (std::size_t k = 0; k < 11; ++k) {
    EXPECT_DOUBLE_EQ(environment.reward(0, k), (10 + static_cast<double>(k)) / 100);
  }
}

TEST(Environment, RefusesBadFiles) {
  using testing::StartsWith;
  EXPECT_THAT(refusal("x\n1\n"), StartsWith("e.csv:1: an environment needs a column 'label'"));
  EXPECT_THAT(refusal("label,reward_0\n0,1\n"), StartsWith("e.csv:1: an environment has a column"));
  EXPECT_THAT(refusal("label\n0\n1.5\n"),
              StartsWith("e.csv:3:1: the label is not an integer from 0"));
  EXPECT_THAT(refusal("x,label\n0,0\n0,-1\n"),
              StartsWith("e.csv:3:2: the label is not an integer"));
  EXPECT_THAT(refusal("label\n1024\n"), StartsWith("e.csv:2:1: the label is outside 0 to 1023"));
  EXPECT_THAT(refusal("label\n1e29\n"), StartsWith("e.csv:2:1: the label is outside"));
  EXPECT_THAT(refusal("label\n1\n4\n3\n", 3),
              StartsWith("e.csv:3:1: the label is outside the arms 0 to 2"));
  EXPECT_THAT(refusal("label\n1\n", 0), StartsWith("--arms: 0 arms asked for"));
  EXPECT_THAT(refusal("label\n1\n", 1025), StartsWith("--arms: 1025 arms asked for"));
  EXPECT_THAT(refusal("reward_0,reward_1\n0,1\n", 3),
              StartsWith("--arms: 3 arms asked for, but e.csv has 2"));
  EXPECT_THAT(refusal("reward_0,reward_2\n0,1\n"),
              StartsWith("e.csv:1: there is no column reward_1"));
  EXPECT_THAT(refusal("reward_1\n0\n"), StartsWith("e.csv:1: there is no column reward_0"));
  EXPECT_THAT(refusal("reward_0,reward_01\n0,1\n"), StartsWith("e.csv:1:2: 'reward_01' is not"));
  EXPECT_THAT(refusal("reward_,label\n0,1\n"), StartsWith("e.csv:1:1: 'reward_' is not"));
  EXPECT_THAT(refusal("reward_0\n1\n1.01\n"),
              StartsWith("e.csv:3:1: the reward is outside [-1, 1]"));
  EXPECT_THAT(refusal("reward_0\n-1.5\n"), StartsWith("e.csv:2:1: the reward is outside [-1, 1]"));
}

}  // namespace
}  // namespace sotto::apps
