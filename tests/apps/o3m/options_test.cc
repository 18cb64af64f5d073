#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/apps/kit/learn/instance.h"
#include "sotto/apps/o3m/environment.h"
#include "sotto/apps/o3m/options.h"
#include "sotto/apps/o3m/synthetic_files.h"
#include "sotto/core/error/errors.h"
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
  EXPECT_EQ(refusal("arm,reward\n0,1\n"),
            "env.csv:1: an O3M environment needs a column 't'; its columns are t,arm,reward[,mean]");
  EXPECT_NE(refusal("t,reward\n0,1\n").find("column 'arm'"), std::string::npos);
  EXPECT_NE(refusal("t,arm,mean\n0,0,1\n").find("column 'reward'"), std::string::npos);
  EXPECT_EQ(refusal("t,arm,reward\n0,0,\n"), "env.csv:2:3: the cell is empty, a number is needed (column 'reward')");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,NaN\n"), "env.csv:2:3: not a finite number (column 'reward')");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,-1000001\n"),
            "env.csv:2:3: outside [-1000000, 1000000] (column 'reward'); scale the rewards");
  EXPECT_EQ(refusal("t,arm,reward,mean\n0,0,1,2e6\n"),
            "env.csv:2:4: outside [-1000000, 1000000] (column 'mean'); scale the rewards");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,1\n0,1,1\n1,0,1\n").substr(0, 35), "env.csv:4: no row of step 1, arm 1,");
  EXPECT_EQ(refusal("t,arm,reward\n0,0,1\n0,0,1\n"),
            "env.csv:3: a second row of step 0, arm 0; the first is env.csv:2");
}

template <class Action>
std::string message(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

TEST(O3mOptions, KnowTheirAlgorithms) {
  EXPECT_EQ(parse_algorithm("ucb", ""), LinearAlgorithm::ucb);
  EXPECT_EQ(parse_algorithm(algorithm_text(LinearAlgorithm::ts), ""), LinearAlgorithm::ts);
  EXPECT_EQ(message([] { (void)parse_algorithm("UCB", "--algorithm"); }),
            "--algorithm: there are the algorithms 'ucb' (LinUCB) and 'ts' (LinTS)");
}

TEST(O3mOptions, RefuseNumbersThatAreOutOfRange) {
  check_numbers({});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {-1e-12, nan, infinite, -infinite, 1.1e6}) {
    O3mOptions beta;
    beta.beta = bad;
    EXPECT_EQ(message([&] { check_numbers(beta); }).substr(0, 7), "--beta:");
    O3mOptions v;
    v.v = bad;
    EXPECT_EQ(message([&] { check_numbers(v); }).substr(0, 4), "--v:");
    O3mOptions lambda;
    lambda.lambda = bad;
    EXPECT_EQ(message([&] { check_numbers(lambda); }).substr(0, 9), "--lambda:");
  }
  O3mOptions zero;
  zero.beta = 0;
  zero.v = 0;
  check_numbers(zero);
  zero.lambda = 0;
  EXPECT_EQ(message([&] { check_numbers(zero); }), "--lambda: the ridge must be from 1e-09 to 1000000");
}

TEST(O3mOptions, TheMaskGeneratorIsNeverTheActiveParticipant) {
  EXPECT_EQ(parse_mask_generator("third-party", 3, ""), std::nullopt);
  EXPECT_EQ(parse_mask_generator("2", 3, ""), NodeId{2});
  EXPECT_EQ(
      message([] { (void)parse_mask_generator("0", 3, "--mask-generator"); }),
      "--mask-generator: the active participant must not generate the mask: it could undo it and read every context");
  for (const char* bad : {"3", "-1", "", "1.", "one", "99999999999999999999", "third party"}) {
    EXPECT_EQ(message([&] { (void)parse_mask_generator(bad, 3, "--mask-generator"); }),
              "--mask-generator: the mask generator is 'third-party' or a passive participant, 1 to 2");
  }
}

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
  EXPECT_EQ(refusal([](SyntheticO3m& o) { o.split = {3}; }), "--split: 1 participant; there can be 2 to 8");
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
