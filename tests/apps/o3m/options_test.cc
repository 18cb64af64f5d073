#include "apps/kit/learn/instance.h"
#include "apps/o3m/environment.h"
#include "apps/o3m/files.h"
#include "apps/o3m/synthetic_files.h"
#include "tests/apps/support.h"

namespace sotto::apps::o3m {
namespace {

std::string environment_refusal(const std::string& text) {
  const TestFolder folder;
  const auto file = folder.put("env.csv", text);
  return message_of<InputError>(folder, [&] { (void)O3mEnvironment::read(file); });
}

TEST(O3mEnvironment, ReadsRewardsAndMeans) {
  const TestFolder folder;
  const auto environment = O3mEnvironment::read(
      folder.put("env.csv", "mean,t,arm,reward,note\n.4,2,1,-2,0\n.1,1,0,3,0\n.7,2,0,4,0\n.3,1,1,5,0\n"));
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
  EXPECT_EQ(environment_refusal("arm,reward\n0,1\n"),
            "env.csv:1: an O3M environment needs a column 't'; its columns are t,arm,reward[,mean]");
  EXPECT_THAT(environment_refusal("t,reward\n0,1\n"), HasSubstr("column 'arm'"));
  EXPECT_THAT(environment_refusal("t,arm,mean\n0,0,1\n"), HasSubstr("column 'reward'"));
  EXPECT_EQ(environment_refusal("t,arm,reward\n0,0,\n"),
            "env.csv:2:3: the cell is empty, a number is needed (column 'reward')");
  EXPECT_EQ(environment_refusal("t,arm,reward\n0,0,NaN\n"), "env.csv:2:3: not a finite number (column 'reward')");
  EXPECT_EQ(environment_refusal("t,arm,reward\n0,0,-1000001\n"),
            "env.csv:2:3: outside [-1000000, 1000000] (column 'reward'); scale the rewards");
  EXPECT_EQ(environment_refusal("t,arm,reward,mean\n0,0,1,2e6\n"),
            "env.csv:2:4: outside [-1000000, 1000000] (column 'mean'); scale the rewards");
  EXPECT_THAT(environment_refusal("t,arm,reward\n0,0,1\n0,1,1\n1,0,1\n"),
              StartsWith("env.csv:4: no row of step 1, arm 1,"));
  EXPECT_EQ(environment_refusal("t,arm,reward\n0,0,1\n0,0,1\n"),
            "env.csv:3: a second row of step 0, arm 0; the first is env.csv:2");
}

TEST(SyntheticO3m, WritesTheInstanceInParts) {
  const TestFolder folder;
  SyntheticO3m options{.steps = 7, .arms = 3, .split = {1, 4, 2}, .seed = 9, .output = folder.path() / "new" / "data"};
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
  const auto option_refusal = [&](auto change) {
    SyntheticO3m options;
    options.output = folder.path() / "out";
    change(options);
    return message_of<InputError>(folder, [&] { (void)write_synthetic_o3m(options); });
  };
  EXPECT_EQ(option_refusal([](SyntheticO3m& o) { o.split = {3}; }), "--split: 1 participant; there can be 2 to 8");
  EXPECT_THAT(option_refusal([](SyntheticO3m& o) { o.split.assign(9, 1); }), StartsWith("--split:"));
  EXPECT_THAT(option_refusal([](SyntheticO3m& o) { o.split = {3, 0}; }), StartsWith("--split:"));
  EXPECT_EQ(option_refusal([](SyntheticO3m& o) { o.arms = 0; }), "--arms: there can be 1 to 1024 arms");
  EXPECT_THAT(option_refusal([](SyntheticO3m& o) { o.arms = 1025; }), StartsWith("--arms:"));
  EXPECT_THAT(option_refusal([](SyntheticO3m& o) { o.steps = 0; }), StartsWith("--steps:"));
  EXPECT_THAT(option_refusal([](SyntheticO3m& o) { o.steps = UINT64_MAX; }), StartsWith("--steps:"));
  for (const double bad : {-1.0, 1001.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(option_refusal([&](SyntheticO3m& o) { o.noise_sd = bad; }), StartsWith("--noise:"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

struct Files {
  TestFolder folder;
  O3mFiles files{folder.put("ap.csv", "t,arm,f\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n"),
                 {folder.put("p1.csv", "t,arm,g,h\n0,0,5,6\n0,1,7,8\n1,0,9,10\n1,1,11,12\n")},
                 folder.put("env.csv", "t,arm,reward\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n")};

  [[nodiscard]] std::string refusal() const {
    return message_of<InputError>(folder, [&] { (void)read_o3m_inputs(files); });
  }
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
  EXPECT_EQ(given.refusal(), "--passive: 8 passive participants; there can be 7 in addition to the active one");
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
}  // namespace sotto::apps::o3m
