#include "sotto/apps/o3m/files.h"

#include "tests/apps/kit/data/test_files.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

// Two steps, two arms.
struct Files {
  TestFolder folder;
  O3mFiles files{folder.put("ap.csv", "t,arm,f\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n"),
                 {folder.put("p1.csv", "t,arm,g,h\n0,0,5,6\n0,1,7,8\n1,0,9,10\n1,1,11,12\n")},
                 folder.put("env.csv", "t,arm,reward\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n")};

  [[nodiscard]] std::string refusal() const {
    return message_of<InputError>(folder, [&] { (void)read_o3m_inputs(files); });
  }
  // Of these contexts beside the others.
  [[nodiscard]] std::string refusal(const char* text) {
    files.passive[0] = folder.put("p1.csv", text);
    return refusal();
  }
};

TEST(O3mInputs, AreJoinedByParticipant) {
  const Files given;
  const O3mInputs inputs = read_o3m_inputs(given.files);
  EXPECT_EQ(inputs.steps(), 2u);
  EXPECT_EQ(inputs.arms(), 2u);
  EXPECT_EQ(inputs.dimension(), 3u);
  std::vector<double> contexts(6);
  join_contexts(inputs, 0, contexts);
  EXPECT_EQ(contexts, (std::vector<double>{1, 5, 6, 2, 7, 8}));
  join_contexts(inputs, 1, contexts);
  EXPECT_EQ(contexts, (std::vector<double>{3, 9, 10, 4, 11, 12}));
  EXPECT_THROW(join_contexts(inputs, 2, contexts), std::invalid_argument);
  contexts.resize(5);
  EXPECT_THROW(join_contexts(inputs, 0, contexts), std::invalid_argument);
}

TEST(O3mInputs, ArmFeaturesAreTheActiveParticipantsUnlessTheyAreSummed) {
  Files given;
  given.files.active = given.folder.put("ap.csv", "f\n1\n2\n");
  given.files.passive[0] = given.folder.put("p1.csv", "t,g,h\n0,3,4\n1,5,6\n");
  given.files.arms_file = given.folder.put("arms.csv", "arm,p\n0,10\n1,20\n");
  O3mInputs inputs = read_o3m_inputs(given.files);
  EXPECT_EQ(inputs.participants[0].values, (std::vector<double>{1, 10, 1, 20, 2, 10, 2, 20}));
  EXPECT_EQ(inputs.participants[1].values, (std::vector<double>{3, 4, 3, 4, 5, 6, 5, 6}));
  given.files.combine = Combine::outer_sum;
  inputs = read_o3m_inputs(given.files);
  EXPECT_EQ(inputs.participants[0].values, (std::vector<double>{11, 21, 12, 22}));
  EXPECT_EQ(inputs.participants[1].values, (std::vector<double>{13, 14, 23, 24, 15, 16, 25, 26}));
}

TEST(O3mInputs, RefusesTooFewAndTooManyParticipants) {
  Files given;
  given.files.passive.resize(7, given.files.passive[0]);
  EXPECT_EQ(read_o3m_inputs(given.files).participants.size(), 8u);
  given.files.passive.resize(8, given.files.passive[0]);
  EXPECT_EQ(given.refusal(), "--passive: 8 passive participants; there can be 7 beside the active one");
  given.files.passive.clear();
  EXPECT_EQ(given.refusal(), "--passive: an O3M run needs at least one passive participant");
}

TEST(O3mInputs, RefusesFilesThatDoNotGoTogether) {
  Files given;
  EXPECT_EQ(given.refusal("t,arm,g\n0,0,1\n0,1,1\n"),
            "p1.csv: 1 step, but env.csv has 2; all files must have the same steps");
  EXPECT_EQ(given.refusal("t,arm,g\n0,0,1\n1,0,1\n"), "p1.csv: rows of 1 arm, but the run has 2 by its environment");
  EXPECT_EQ(given.refusal("t,arm,g\n1,0,1\n1,1,1\n2,0,1\n2,1,1\n"),
            "p1.csv: steps are numbered from 1, but from 0 in env.csv; number them alike");
  EXPECT_EQ(given.refusal("g\n1\n"), "p1.csv: 1 step, but env.csv has 2; all files must have the same steps");
  EXPECT_EQ(
      given.refusal("t,arm,g\n0,0,524287\n0,1,1\n1,0,1\n1,1,1\n"),
      "ap.csv: the norms of the contexts of all participants add up to more than 524288; scale the features down");
}

TEST(O3mInputs, RefusesContextsThatAreTheSameForAllArms) {
  Files given;
  given.files.active = given.folder.put("ap.csv", "f\n1\n2\n");
  EXPECT_EQ(
      given.refusal("g\n1\n2\n"),
      "ap.csv: no file tells the arms apart; give --arms-file, or a column 'arm' with a row for each step and arm");
  given.files.combine = Combine::outer_sum;
  EXPECT_EQ(given.refusal(), "--combine: the sum of user and arm features needs --arms-file");
}

}  // namespace
}  // namespace sotto::apps
