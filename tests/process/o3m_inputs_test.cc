// Files and flags of `sotto o3m`: other forms of the same features, and what is refused.
#include "tests/process/o3m_data.h"

namespace sotto::testing::o3m {
namespace {

// User features of both, arm features: concatenated and as an outer sum, against the same in long form.
TEST_F(O3m, UserAndArmFeaturesAreTheLongForm) {
  const Data data(folder, 1);
  std::mt19937 random(3);
  std::string users[2] = {"u\n", "t,v,w\n"};
  std::string joined[2] = {"t,arm,u,p,q\n", "t,arm,v,w\n"};
  std::string sum[2] = {"t,arm,a,b\n", "t,arm,a,b,c,d\n"};
  std::string rewards = "t,arm,reward\n";
  const double p[2][2] = {{0.5, -0.25}, {0.125, 0.75}};
  const auto number = [](double value) { return std::to_string(value); };
  for (int t = 0; t < 40; ++t) {
    double user[3];
    for (double& value : user) value = static_cast<double>(random() % 64) / 64;
    users[0] += number(user[0]) + "\n";
    users[1] += std::to_string(t) + "," + number(user[1]) + "," + number(user[2]) + "\n";
    for (int arm = 0; arm < 2; ++arm) {
      const std::string pair = std::to_string(t) + "," + std::to_string(arm) + ",";
      const double* const q = p[arm];
      joined[0] += pair + number(user[0]) + "," + number(q[0]) + "," + number(q[1]) + "\n";
      joined[1] += pair + number(user[1]) + "," + number(user[2]) + "\n";
      sum[0] += pair + number(user[0] + q[0]) + "," + number(user[0] + q[1]) + "\n";
      sum[1] += pair + number(user[1] + q[0]) + "," + number(user[1] + q[1]) + "," + number(user[2] + q[0]) + "," +
                number(user[2] + q[1]) + "\n";
      rewards += pair + std::to_string(random() % 2) + "\n";
    }
  }
  for (int j = 0; j < 2; ++j) {
    folder.write("users" + std::to_string(j) + ".csv", users[j]);
    folder.write("joined" + std::to_string(j) + ".csv", joined[j]);
    folder.write("sum" + std::to_string(j) + ".csv", sum[j]);
  }
  folder.write("arms.csv", "arm,p,q\n1,0.125,0.75\n0,0.5,-0.25\n");
  folder.write("env.csv", rewards);
  const auto arms_of = [&](const std::string& name, const std::string& more) {
    const json result = result_of(folder, words_of("o3m --ap " + name + "0.csv --passive " + name +
                                                   "1.csv --environment env.csv --algorithm ucb " +
                                                   "--insecure-seed 1 --compare-central --json " + more));
    EXPECT_EQ(result.at("arms_equal"), true);
    return json{result.at("arms"), result.at("dimension")};
  };
  const json long_joined = arms_of("joined", "");
  EXPECT_EQ(long_joined.at(1), 5);
  EXPECT_EQ(arms_of("users", "--arms-file arms.csv"), long_joined);
  EXPECT_EQ(arms_of("users", "--arms-file arms.csv --combine concatenate"), long_joined);
  const json long_sum = arms_of("sum", "");
  EXPECT_EQ(long_sum.at(1), 6);
  EXPECT_EQ(arms_of("users", "--arms-file arms.csv --combine sum"), long_sum);
}

TEST_F(O3m, RefusesBadInputWithOneLine) {
  const Data data(folder, 3);
  const std::string secret = "0.7351928";
  const auto cell = [&](const char* before, const char* after) { return before + secret + after; };
  folder.write("missing_pair.csv", cell("t,arm,f\n0,0,", "\n0,1,1\n1,0,1\n"));
  folder.write("twice.csv", cell("t,arm,f\n0,0,", "\n0,0,0.7351928\n"));
  folder.write("gap.csv", cell("t,arm,f\n0,0,", "\n2,0,0.7351928\n"));
  folder.write("late.csv", cell("t,arm,f\n5,0,", "\n"));
  folder.write("nan.csv", cell("t,arm,f,g\n0,0,", ",nan\n"));
  folder.write("inf.csv", cell("t,arm,f,g\n0,0,", ",-inf\n"));
  folder.write("words.csv", cell("t,arm,f,g\n0,0,", ",7351928x\n"));
  folder.write("huge.csv", cell("f,g\n1,1\n", ",1e9\n1,1\n"));
  folder.write("empty.csv", "t,arm\n0,0\n");
  folder.write("nothing.csv", "");
  folder.write("short.csv", cell("t,f\n0,", "\n1,1\n"));
  folder.write("users.csv", cell("f\n", "\n1\n1\n"));
  folder.write("few_arms.csv", cell("t,arm,f\n0,0,", "\n1,0,1\n2,0,1\n"));
  folder.write("from_one.csv", cell("t,f\n1,", "\n2,1\n3,1\n"));
  folder.write("no_reward.csv", cell("t,arm,mean\n0,0,", "\n"));
  folder.write("nan_reward.csv", cell("t,arm,reward,mean\n0,0,nan,", "\n"));
  folder.write("empty_reward.csv", cell("t,arm,mean,reward\n0,0,", ",\n"));
  folder.write("arms3.csv", cell("arm,p\n0,", "\n1,1\n2,1\n"));
  folder.write("arms_gap.csv", cell("arm,p\n0,", "\n1,1\n3,1\n"));
  expect_refusals(folder, "o3m --ap p0.csv --environment env.csv --algorithm ucb --passive",
                  {{"missing_pair.csv", "missing_pair.csv:4: no row of step 1, arm 1"},
                   {"twice.csv", "twice.csv:3: a second row of step 0, arm 0; the first is twice.csv:2"},
                   {"gap.csv", "gap.csv:3: no row of step 1, arm 0"},
                   {"late.csv", "late.csv:2:1: the smallest step is neither 0 nor 1"},
                   {"nan.csv", "nan.csv:2:4: not a finite number"},
                   {"inf.csv", "inf.csv:2:4: not a finite number"},
                   {"words.csv", "words.csv:2:4: not a number"},
                   {"huge.csv", "huge.csv:3: the norm of this context is above 524288; scale"},
                   {"empty.csv", "empty.csv:1: no column is a feature"},
                   {"nothing.csv", "nothing.csv: the file is empty"},
                   {"not-there.csv", "not-there.csv"},
                   {"short.csv", "short.csv: 2 steps, but env.csv has 3"},
                   {"few_arms.csv", "few_arms.csv: rows of 1 arm, but the run has 4"},
                   {"from_one.csv", "from_one.csv: steps are numbered from 1, but from 0 in env.csv"}});
  expect_refusals(folder, "o3m --ap p0.csv --passive p1.csv --algorithm ucb --environment",
                  {{"no_reward.csv", "no_reward.csv:1: an O3M environment needs a column 'reward'"},
                   {"nan_reward.csv", "nan_reward.csv:2:3: not a finite number"},
                   {"empty_reward.csv", "empty_reward.csv:2:4: the cell is empty"}});
  expect_refusals(
      folder, "o3m --ap p0.csv --passive p1.csv --environment env.csv --algorithm ucb",
      {{"--combine sum", "--combine: the sum"},
       {"--combine product", "--combine: "},
       {"--mask-generator 0", "--mask-generator: mask_generator in [run]: the active participant, number 0, must not "},
       {"--mask-generator 2", "--mask-generator: there is no passive participant 2, "},
       {"--mask-generator me", "--mask-generator: mask_generator in [run] must be "},
       {"--lambda 0", "--lambda: "},
       {"--lambda -1", "--lambda: "},
       {"--beta -0.1", "--beta: "},
       {"--beta nan", "--beta: "},
       {"--v -1", "--v: "},
       {"--v much", "--v"},
       {"--steps 4", "--steps: 4 asked for, but the files have 1 to 3"},
       {"--steps 0", "--steps: '0' is not"},
       {"--steps -1", "--steps"},
       {"--insecure-seed -1", "--insecure-seed"},
       {"--passive p1.csv --passive p1.csv --passive p1.csv --passive p1.csv --passive p1.csv --passive "
        "p1.csv --passive p1.csv",
        "--passive: 8 passive participants"}});
  expect_refusals(folder, "o3m",
                  {{"--ap p0.csv --passive users.csv --environment env.csv --algorithm ucb --arms-file arms3.csv",
                    "p0.csv:1: features of arms come from"},
                   {"--ap users.csv --passive users.csv --environment env.csv --algorithm ucb",
                    "users.csv: no file tells the arms apart"},
                   {"--ap users.csv --passive users.csv --environment env.csv --algorithm ucb --arms-file arms3.csv",
                    "arms3.csv: rows of 3 arms, but the run has 4"},
                   {"--ap users.csv --passive users.csv --environment env.csv --algorithm ucb --arms-file arms_gap.csv",
                    "arms_gap.csv:4: no row of arm 2"},
                   {"--ap p0.csv --passive p1.csv --environment env.csv --algorithm greedy", "--algorithm: "},
                   {"--ap p0.csv --passive p1.csv --environment env.csv", "--algorithm"},
                   {"--ap p0.csv --environment env.csv --algorithm ucb", "--passive"},
                   {"--passive p0.csv --environment env.csv --algorithm ucb", "--ap"},
                   {"--ap p0.csv --passive p1.csv --algorithm ucb", "--environment"}});
}

TEST_F(O3m, ZeroConstantAndDependentFeaturesAreFine) {
  const Data data(folder, 30);
  std::string zero = "t,arm,z\n";
  std::string constant = "t,arm,c,d\n";
  for (int t = 0; t < 30; ++t) {
    for (std::size_t arm = 0; arm < arms; ++arm) {
      const std::string pair = std::to_string(t) + "," + std::to_string(arm);
      zero += pair + ",0\n";
      constant += pair + ",0.5,-0.5\n";
    }
  }
  folder.write("p1.csv", zero);
  folder.write("p2.csv", constant);
  for (const char* algorithm : {"ucb", "ts"}) {
    const json result = result_of(folder, Data::command(3, algorithm, "--compare-central --json"));
    EXPECT_EQ(result.at("arms_equal"), true);
    EXPECT_LT(result.at("max_score_difference"), 1e-9);
  }
}

TEST_F(O3m, AFolderThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const Data data(folder, 2);
  folder.write("file", "");
  expect_refused(folder, Data::command(2, "ucb", "--out file"), "--out", 6);
}

}  // namespace
}  // namespace sotto::testing::o3m
