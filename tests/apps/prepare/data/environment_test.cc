#include "apps/prepare/data/environment.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/tables/text_table.h"
#include "tests/apps/kit/files/every_reader.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::prepare {
namespace {

Environment read_environment(std::string_view text, std::optional<std::size_t> arms = std::nullopt) {
  const TestFolder folder;
  return Environment::read(folder.put("e.csv", text), arms);
}

std::string environment_refusal(std::string_view text, std::optional<std::size_t> arms = std::nullopt) {
  const TestFolder folder;
  const auto path = folder.put("e.csv", text);
  return message_of<InputError>(folder, [&] { (void)Environment::read(path, arms); });
}

TEST(Environment, RefusesArmsThatNobodyMeant) {
  EXPECT_THAT(environment_refusal("label\n1\n2\n3\n"),
              AllOf(StartsWith("e.csv: column 'label': 3 of the labels 0 to 3"), HasSubstr("--arms 4")));
  EXPECT_THAT(environment_refusal("label\n0\n10\n20\n"),
              AllOf(HasSubstr("3 of the labels 0 to 20"), HasSubstr("from 0 to 2"), HasSubstr("--arms 21")));
  EXPECT_EQ(read_environment("label\n0\n10\n20\n", 21).arms(), 21U);
}

TEST(Environment, LabelsPayOneForTheRightArm) {
  const Environment environment = read_environment("age,label\n50,2\n60,0\n", 3);
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
  const Environment environment = read_environment("label\n0\n1\n", 4);
  EXPECT_EQ(environment.arms(), 4U);
  EXPECT_EQ(environment.reward(1, 3), 0);
  EXPECT_EQ(read_environment("label\n0\n0\n").arms(), 1U);
}

TEST(Environment, RewardColumnsInAnyOrder) {
  const Environment environment = read_environment("reward_1,x,reward_0\n0.5,9,-1\n0,9,0\n");
  EXPECT_EQ(environment.arms(), 2U);
  EXPECT_FALSE(environment.binary_rewards());
  EXPECT_EQ(environment.reward(0, 0), -1);
  EXPECT_EQ(environment.reward(0, 1), 0.5);
  EXPECT_EQ(environment.best_reward(0), 0.5);
  EXPECT_EQ(read_environment("reward_0\n1\n", 1).arms(), 1U);
  EXPECT_TRUE(read_environment("reward_0,reward_1\n0,1\n1,1\n").binary_rewards());
  EXPECT_FALSE(read_environment("reward_0,reward_1\n0,-1\n").binary_rewards());
}

TEST(Environment, ElevenArmsAreOrderedByNumber) {
  std::string header;
  std::string row;
  for (int k = 0; k < 11; ++k) {
    header += (k == 0 ? "reward_" : ",reward_") + std::to_string(k);
    row += (k == 0 ? "0." : ",0.") + std::to_string(10 + k);
  }
  const Environment environment = read_environment(header + "\n" + row + "\n");
  for (std::size_t k = 0; k < 11; ++k) EXPECT_DOUBLE_EQ(environment.reward(0, k), (10 + static_cast<double>(k)) / 100);
}

TEST(Environment, RefusesBadFiles) {
  EXPECT_THAT(environment_refusal("x\n1\n"), StartsWith("e.csv:1: an environment needs a column 'label'"));
  EXPECT_THAT(environment_refusal("label,reward_0\n0,1\n"), StartsWith("e.csv:1: an environment has a column"));
  EXPECT_THAT(environment_refusal("label\n0\n1.5\n"), StartsWith("e.csv:3:1: the label is not an integer from 0"));
  EXPECT_THAT(environment_refusal("x,label\n0,0\n0,-1\n"), StartsWith("e.csv:3:2: the label is not an integer"));
  EXPECT_THAT(environment_refusal("label\n1024\n"), StartsWith("e.csv:2:1: the label is outside 0 to 1023"));
  EXPECT_THAT(environment_refusal("label\n1e29\n"), StartsWith("e.csv:2:1: the label is outside"));
  EXPECT_THAT(environment_refusal("label\n1\n4\n3\n", 3),
              StartsWith("e.csv:3:1: the label is outside the arms 0 to 2"));
  EXPECT_THAT(environment_refusal("label\n1\n", 0), StartsWith("--arms: 0 arms asked for"));
  EXPECT_THAT(environment_refusal("label\n1\n", 1025), StartsWith("--arms: 1025 arms asked for"));
  EXPECT_THAT(environment_refusal("reward_0,reward_1\n0,1\n", 3),
              StartsWith("--arms: 3 arms asked for, but e.csv has 2"));
  EXPECT_THAT(environment_refusal("reward_0,reward_2\n0,1\n"), StartsWith("e.csv:1: there is no column reward_1"));
  EXPECT_THAT(environment_refusal("reward_1\n0\n"), StartsWith("e.csv:1: there is no column reward_0"));
  EXPECT_THAT(environment_refusal("reward_0,reward_01\n0,1\n"), StartsWith("e.csv:1:2: 'reward_01' is not"));
  EXPECT_THAT(environment_refusal("reward_,label\n0,1\n"), StartsWith("e.csv:1:1: 'reward_' is not"));
  EXPECT_THAT(environment_refusal("reward_0\n1\n1.01\n"), StartsWith("e.csv:3:1: the reward is outside [-1, 1]"));
  EXPECT_THAT(environment_refusal("reward_0\n-1.5\n"), StartsWith("e.csv:2:1: the reward is outside [-1, 1]"));
}

Block block_of(const TestFolder& folder, const std::string& name, std::string_view text) {
  return read_block(folder.put(name, text));
}

TEST(ReadBlock, RoundsTheLargestNormUpToSixteenths) {
  const TestFolder folder;
  EXPECT_EQ(block_of(folder, "a", "x,y\n0,0\n3,4\n1,1\n").bound, 5);
  EXPECT_EQ(block_of(folder, "a", "x\n-0.51\n").bound, 9.0 / 16);
  EXPECT_EQ(block_of(folder, "a", "x\n0.5\n").bound, 0.5);
  EXPECT_EQ(block_of(folder, "a", "x\n0\n").bound, 1.0 / 16);
  EXPECT_EQ(block_of(folder, "a", "x,y\n0.7071067812,0.7071067812\n").bound, 1);
  EXPECT_EQ(block_of(folder, "a", "x\n1.0002\n").bound, 17.0 / 16);
  // If rounded digits make a row slightly longer than 1, the bound is still 1.
  EXPECT_EQ(block_of(folder, "a", "x\n1.0000000082\n").bound, 1);
  EXPECT_EQ(block_of(folder, "a", "x\n1.0001\n").bound, 1);
}

TEST(ReadBlock, RefusesWhatHasNoNorm) {
  const TestFolder folder;
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)block_of(folder, "a", "x\n1e200\n"); }),
              StartsWith("a:2:1: the number is larger in size than 1e30"));
  EXPECT_GE(block_of(folder, "a", "x,y\n1e30,-1e30\n").bound, 1.414e30);
}

PROPERTY(RoundUpNorm, IsTheLeastMultipleThatCovers) {
  const double norm = draw_in_range(0, 1 << 24) / 1048576.0;
  const double bound = round_up_norm(norm);
  HOLDS(bound * (1 + norm_slack) >= norm * (1 - 1e-15));
  HOLDS(bound * 16 == std::floor(bound * 16));
  HOLDS(bound == norm_step || bound - norm_step < norm);
}

TEST(JointBound, IsTheRootOfTheSumOfSquares) {
  const std::vector<double> bounds{3, 4, 12};
  EXPECT_DOUBLE_EQ(joint_bound(bounds), 13);
}

TEST(AnnouncedBound, IsExactlyThePartysShareOfMaxNorm) {
  const TestFolder folder;
  const auto announced = [&](const std::string& cell, double max_norm, std::size_t parties) {
    return announced_bound(block_of(folder, "a", "x\n" + cell + "\n"), max_norm, parties);
  };
  EXPECT_EQ(announced("0.70710678", 1, 2), 1 / std::sqrt(2.0));
  EXPECT_EQ(announced("0.70711", 1, 2), 1 / std::sqrt(2.0));
  EXPECT_EQ(announced("0.7073", 1, 2), 0.75);
  EXPECT_EQ(announced("0.55", 1, 2), 9.0 / 16);
  EXPECT_EQ(announced("0.69", 0.7, 2), 0.7);
  EXPECT_EQ(announced("1.3", 1, 2), 1.3125);
}

TEST(JointNorm, OfPartiesThatPrepareApartKeepsToMaxNorm) {
  for (std::size_t parties = 2; parties <= 8; ++parties) {
    for (const double max_norm : {0.3, 1.0, 1.7, 8.0}) {
      const double share = max_norm / std::sqrt(static_cast<double>(parties));
      std::vector<double> bounds(parties, share);
      EXPECT_FALSE(joint_norm_excess(bounds, max_norm));
      for (double& bound : bounds) bound = share * (1 + 0.9e-4);
      EXPECT_FALSE(joint_norm_excess(bounds, max_norm));
      for (double& bound : bounds) bound = share * (1 + 1.1e-4);
      EXPECT_TRUE(joint_norm_excess(bounds, max_norm));
    }
  }
}

TEST(JointNorm, AboveMaxNormNamesThePartiesAndTheNumbers) {
  const std::vector<double> bounds{1, 1, 0.5};
  const auto excess = joint_norm_excess(bounds, 1);
  ASSERT_TRUE(excess);
  EXPECT_EQ(*excess,
            "rows have norms up to 1 at party 0, 1 at party 1, 0.5 at party 2: together up to 1.5, above max_norm = 1");
  EXPECT_THAT(joint_norm_advice(3, 1), HasSubstr("max_norm / sqrt(3) = 0.57735,"));
}

TEST(CheckAligned, NamesFilesAndCounts) {
  const TestFolder folder;
  std::vector<Block> blocks;
  blocks.push_back(block_of(folder, "a.csv", "x\n1\n2\n"));
  blocks.push_back(block_of(folder, "b.csv", "x\n1\n2\n3\n"));
  EXPECT_THAT(message_of<InputError>(folder, [&] { check_aligned(blocks, 2, "e.csv"); }),
              StartsWith("b.csv: 3 rows, but e.csv has 2;"));
  blocks.pop_back();
  EXPECT_NO_THROW(check_aligned(blocks, 2, "e.csv"));
}

TEST(CheckNorms, NamesTheLineAndNotTheNorm) {
  const TestFolder folder;
  std::vector<Block> blocks;
  blocks.push_back(block_of(folder, "a.csv", "x\n0.6\n0.6\n0.6\n"));
  blocks.push_back(block_of(folder, "b.csv", "y\n0.8\n0.8002\n0\n"));
  const std::string message = message_of<InputError>(folder, [&] { check_norms(blocks, 1); });
  EXPECT_THAT(message, StartsWith("a.csv:3: the norm of this row of a.csv, b.csv together is above 1;"));
  EXPECT_NO_THROW(check_norms(blocks, 1.001));
  EXPECT_NO_THROW(check_norms(std::span(blocks).first(1), 0.6));
  EXPECT_THAT(message_of<InputError>(folder, [&] { check_norms(std::span(blocks).last(1), 0.8); }),
              StartsWith("b.csv:3: the norm of this row is above 0.8;"));
}

TEST(CheckNorms, SlackCoversRoundedUnitRows) {
  const TestFolder folder;
  for (const char* row : {"0.7071067812,0.7071067812", "0.70710679,0.70710678", "1.0000000082,0", "1.0001,0"}) {
    const std::vector<Block> blocks{block_of(folder, "a", "x,y\n" + std::string(row) + "\n")};
    EXPECT_NO_THROW(check_norms(blocks, 1)) << row;
  }
  const std::vector<Block> blocks{block_of(folder, "a", "x,y\n1.00011,0\n")};
  EXPECT_THROW(check_norms(blocks, 1), InputError);
}

TEST(CheckNorms, RefusesBoundsOutOfRange) {
  const TestFolder folder;
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(message_of<InputError>(folder, [&] { check_norms({}, bad); }), StartsWith("--max-norm: "));
  }
  EXPECT_NO_THROW(check_norms({}, 8));
  const std::string message = message_of<InputError>(folder, [&] { check_norms({}, 16); });
  EXPECT_THAT(message, HasSubstr("norm 16 here, at most 8 is possible"));
  EXPECT_THAT(message, HasSubstr("multiply all features by 0.495 or less"));
}

INSTANTIATE_TEST_SUITE_P(Prepare, EveryReader,
                         ::testing::Values(Reader{"text_table", [](const auto& path) { (void)TextTable::read(path); }},
                                           Reader{"environment",
                                                  [](const auto& path) { (void)Environment::read(path); }}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Idx, DevicesAndPipesWithoutEndAreRefused) {
  const TestFolder folder;
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_images("/dev/zero"); }),
              StartsWith("/dev/zero: the file begins with 00000000"));
  const EndlessPipe pipe(folder, std::string("\0\0\x08\x01\0\0\0\2", 8));
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_labels(pipe.path()); }),
              HasSubstr("it was added to"));
}

}  // namespace
}  // namespace sotto::apps::prepare
