#include "apps/data/contexts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/apps/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Block block_of(const TestFolder& folder, const std::string& name, std::string_view text) {
  return read_block(folder.put(name, text));
}

TEST(ReadBlock, RoundsTheLargestNormUpToSixteenths) {
  const TestFolder folder;
  EXPECT_EQ(block_of(folder, "a", "x,y\n0,0\n3,4\n1,1\n").bound, 5);
  EXPECT_EQ(block_of(folder, "a", "x\n-0.51\n").bound, 9.0 / 16);
  EXPECT_EQ(block_of(folder, "a", "x\n0.5\n").bound, 0.5);
  EXPECT_EQ(block_of(folder, "a", "x\n0\n").bound, 1.0 / 16);
  // A unit row written with ten digits is not above 1.
  EXPECT_EQ(block_of(folder, "a", "x,y\n0.7071067812,0.7071067812\n").bound, 1);
  EXPECT_EQ(block_of(folder, "a", "x\n1.00001\n").bound, 17.0 / 16);
}

TEST(ReadBlock, RefusesWhatHasNoNorm) {
  const TestFolder folder;
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)block_of(folder, "a", "x\n1e200\n"); }),
              StartsWith("a: the features are too large"));
}

RC_GTEST_PROP(RoundUpNorm, IsTheLeastMultipleThatCovers, ()) {
  const double norm = *rc::gen::inRange(0, 1 << 24) / 1048576.0;
  const double bound = round_up_norm(norm);
  RC_ASSERT(bound >= norm * (1 - norm_slack));
  RC_ASSERT(bound * 16 == std::floor(bound * 16));
  RC_ASSERT(bound == norm_step || bound - norm_step < norm);
}

TEST(JointBound, IsTheRootOfTheSumOfSquares) {
  const std::vector<double> bounds{3, 4, 12};
  EXPECT_DOUBLE_EQ(joint_bound(bounds), 13);
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
  blocks.push_back(block_of(folder, "b.csv", "y\n0.8\n0.8000001\n0\n"));
  const std::string message = message_of<InputError>(folder, [&] { check_norms(blocks, 1); });
  EXPECT_THAT(message,
              StartsWith("a.csv:3: the norm of this row of a.csv, b.csv together is above 1;"));
  EXPECT_NO_THROW(check_norms(blocks, 1.001));
  EXPECT_NO_THROW(check_norms(std::span(blocks).first(1), 0.6));
  EXPECT_THAT(message_of<InputError>(folder, [&] { check_norms(std::span(blocks).last(1), 0.8); }),
              StartsWith("b.csv:3: the norm of this row is above 0.8;"));
}

TEST(CheckNorms, SlackCoversRoundedUnitRows) {
  const TestFolder folder;
  const std::vector<Block> blocks{block_of(folder, "a", "x,y\n0.7071067812,0.7071067812\n")};
  EXPECT_NO_THROW(check_norms(blocks, 1));
}

TEST(CheckNorms, RefusesBoundsOutOfRange) {
  const TestFolder folder;
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(message_of<InputError>(folder, [&] { check_norms({}, bad); }),
                StartsWith("--max-norm: "));
  }
  EXPECT_NO_THROW(check_norms({}, 8));
  const std::string message = message_of<InputError>(folder, [&] { check_norms({}, 16); });
  EXPECT_THAT(message, HasSubstr("norm 16 here, at most 8 is possible"));
  EXPECT_THAT(message, HasSubstr("multiply all features by 0.495 or less"));
}

}  // namespace
}  // namespace sotto::apps
