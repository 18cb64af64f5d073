#include "sotto/apps/p2b/tuple_file.h"

#include <gtest/gtest.h>

#include "sotto/core/error/errors.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

TEST(P2bTupleFile, ReadsWithAndWithoutAHeader) {
  const TestFolder folder;
  const std::vector<Tuple> expected{{3, 1, 0.5}, {0, 2, 1}};
  const TupleLimits limits{4, 3};
  EXPECT_EQ(read_tuples(folder.put("a.csv", "3,1,0.5\n0,2,1\n"), limits).tuples, expected);
  EXPECT_EQ(read_tuples(folder.put("b.csv", "code,arm,reward\n3,1,0.5\n0,2,1\n"), limits).tuples,
            expected);
  EXPECT_EQ(
      read_tuples(folder.put("c.csv", "time,reward,arm,code\n9,0.5,1,3\n8,1,2,0\n"), {}).tuples,
      expected);
  EXPECT_TRUE(read_tuples(folder.put("d.csv", "code,arm,reward\n"), limits).tuples.empty());
  EXPECT_EQ(read_tuples(folder.put("e.csv", tuples_csv(expected)), limits).tuples, expected);
}

TEST(P2bTupleFile, ClipsRewardsAndTakesOneTupleAUser) {
  const TestFolder folder;
  const TupleFile file = read_tuples(
      folder.put("a.csv", "user,code,arm,reward\n7,0,0,2\n8,1,0,-1\n7,2,0,1\n7,3,0,1\n9,2,0,1\n"),
      {});
  EXPECT_EQ(file.tuples, (std::vector<Tuple>{{0, 0, 1}, {1, 0, 0}, {2, 0, 1}}));
  EXPECT_EQ(file.clipped, 2U);
  EXPECT_EQ(file.duplicates, 2U);
}

TEST(P2bTupleFile, LeavesOutMetadataOfAnyKind) {
  const TestFolder folder;
  const TupleFile file = read_tuples(
      folder.put("a.csv",
                 "user,address,code,arm,reward,note\nann,10.0.0.1,0,0,1,\nbob,10.0.0.2,1,0,0,late\n"
                 "ann,10.0.0.3,2,0,1,\"a, b\"\n"),
      {});
  EXPECT_EQ(file.tuples, (std::vector<Tuple>{{0, 0, 1}, {1, 0, 0}}));
  EXPECT_EQ(file.duplicates, 1U);
}

TEST(P2bTupleFile, NamesThePlaceOfWhatIsWrong) {
  const TestFolder folder;
  const auto fault = [&folder](const std::string& text, const TupleLimits& limits) {
    const auto path = folder.put("t.csv", text);
    return message_of<InputError>(folder, [&] { (void)read_tuples(path, limits); });
  };
  EXPECT_EQ(fault("code,arm,reward\n4,0,1\n", {4, 2}),
            "t.csv:2:1: the code is not one of 0..3: correct the file or the number of codes");
  EXPECT_EQ(fault("3,2,1\n", {4, 2}),
            "t.csv:1:2: the arm is not one of 0..1: correct the file or the number of arms");
  EXPECT_EQ(fault("1.5,0,1\n", {}),
            "t.csv:1:1: the code is not one of 0, 1, 2 and so on: correct the file or the number "
            "of codes");
  EXPECT_EQ(
      fault("0,-1,1\n", {}),
      "t.csv:1:2: the arm is not one of 0, 1, 2 and so on: correct the file or the number of arms");
  EXPECT_EQ(fault("code,arm,prize\n1,1,1\n", {}),
            "t.csv:1: there is no column 'reward'; the columns code,arm,reward are needed");
  EXPECT_EQ(
      fault("1,1\n", {}),
      "t.csv:1: 2 columns without a header, where the three code,arm,reward are expected; name "
      "them in a first line");
}

}  // namespace
}  // namespace sotto::apps
