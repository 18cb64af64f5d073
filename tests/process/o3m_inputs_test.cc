// Files and flags of `sotto o3m`: other forms of the same features, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/process/o3m_data.h"

namespace sotto::testing::o3m {
namespace {

// User features of both, arm features: concatenated and as an outer sum, against the same in long form.
TEST(O3m, UserAndArmFeaturesAreTheLongForm) {
  const TestFolder folder;
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
    put(folder, "users" + std::to_string(j) + ".csv", users[j]);
    put(folder, "joined" + std::to_string(j) + ".csv", joined[j]);
    put(folder, "sum" + std::to_string(j) + ".csv", sum[j]);
  }
  put(folder, "arms.csv", "arm,p,q\n1,0.125,0.75\n0,0.5,-0.25\n");
  put(folder, "env.csv", rewards);
  const auto arms_of = [&](const std::string& name, const Words& more) {
    Words words{"o3m",         "--ap", name + "0.csv",    "--passive", name + "1.csv",      "--environment", "env.csv",
                "--algorithm", "ucb",  "--insecure-seed", "1",         "--compare-central", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const json result = data.run(words);
    EXPECT_EQ(result.at("arms_equal"), true);
    return json{result.at("arms"), result.at("dimension")};
  };
  const json long_joined = arms_of("joined", {});
  EXPECT_EQ(long_joined.at(1), 5);
  EXPECT_EQ(arms_of("users", {"--arms-file", "arms.csv"}), long_joined);
  EXPECT_EQ(arms_of("users", {"--arms-file", "arms.csv", "--combine", "concatenate"}), long_joined);
  const json long_sum = arms_of("sum", {});
  EXPECT_EQ(long_sum.at(1), 6);
  EXPECT_EQ(arms_of("users", {"--arms-file", "arms.csv", "--combine", "sum"}), long_sum);
}

TEST(O3m, RefusesBadInputWithOneLine) {
  const TestFolder folder;
  const Data data(folder, 3);
  const std::string secret = "0.7351928";
  const auto cell = [&](const char* before, const char* after) { return before + secret + after; };
  put(folder, "missing_pair.csv", cell("t,arm,f\n0,0,", "\n0,1,1\n1,0,1\n"));
  put(folder, "twice.csv", cell("t,arm,f\n0,0,", "\n0,0,0.7351928\n"));
  put(folder, "gap.csv", cell("t,arm,f\n0,0,", "\n2,0,0.7351928\n"));
  put(folder, "late.csv", cell("t,arm,f\n5,0,", "\n"));
  put(folder, "nan.csv", cell("t,arm,f,g\n0,0,", ",nan\n"));
  put(folder, "inf.csv", cell("t,arm,f,g\n0,0,", ",-inf\n"));
  put(folder, "words.csv", cell("t,arm,f,g\n0,0,", ",7351928x\n"));
  put(folder, "huge.csv", cell("f,g\n1,1\n", ",1e9\n1,1\n"));
  put(folder, "empty.csv", "t,arm\n0,0\n");
  put(folder, "nothing.csv", "");
  put(folder, "short.csv", cell("t,f\n0,", "\n1,1\n"));
  put(folder, "users.csv", cell("f\n", "\n1\n1\n"));
  put(folder, "few_arms.csv", cell("t,arm,f\n0,0,", "\n1,0,1\n2,0,1\n"));
  put(folder, "from_one.csv", cell("t,f\n1,", "\n2,1\n3,1\n"));
  put(folder, "no_reward.csv", cell("t,arm,mean\n0,0,", "\n"));
  put(folder, "nan_reward.csv", cell("t,arm,reward,mean\n0,0,nan,", "\n"));
  put(folder, "empty_reward.csv", cell("t,arm,mean,reward\n0,0,", ",\n"));
  put(folder, "arms3.csv", cell("arm,p\n0,", "\n1,1\n2,1\n"));
  put(folder, "arms_gap.csv", cell("arm,p\n0,", "\n1,1\n3,1\n"));
  struct Bad {
    Words words;
    const char* says;
  };
  const auto with = [](const char* passive, const Words& more = {}) {
    Words words{"o3m", "--ap", "p0.csv", "--passive", passive, "--environment", "env.csv", "--algorithm", "ucb"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto environment = [](const char* file) {
    return Words{"o3m", "--ap", "p0.csv", "--passive", "p1.csv", "--environment", file, "--algorithm", "ucb"};
  };
  const std::vector<Bad> table{
      {with("missing_pair.csv"), "missing_pair.csv:4: no row of step 1, arm 1"},
      {with("twice.csv"), "twice.csv:3: a second row of step 0, arm 0; the first is twice.csv:2"},
      {with("gap.csv"), "gap.csv:3: no row of step 1, arm 0"},
      {with("late.csv"), "late.csv:2:1: the smallest step is neither 0 nor 1"},
      {with("nan.csv"), "nan.csv:2:4: not a finite number"},
      {with("inf.csv"), "inf.csv:2:4: not a finite number"},
      {with("words.csv"), "words.csv:2:4: not a number"},
      {with("huge.csv"), "huge.csv:3: the norm of this context is above 524288; scale"},
      {with("empty.csv"), "empty.csv:1: no column is a feature"},
      {with("nothing.csv"), "nothing.csv: the file is empty"},
      {with("not-there.csv"), "not-there.csv"},
      {with("short.csv"), "short.csv: 2 steps, but env.csv has 3"},
      {with("few_arms.csv"), "few_arms.csv: rows of 1 arm, but the run has 4"},
      {with("from_one.csv"), "from_one.csv: steps are numbered from 1, but from 0 in env.csv"},
      {environment("no_reward.csv"), "no_reward.csv:1: an O3M environment needs a column 'reward'"},
      {environment("nan_reward.csv"), "nan_reward.csv:2:3: not a finite number"},
      {environment("empty_reward.csv"), "empty_reward.csv:2:4: the cell is empty"},
      {with("users.csv", {"--arms-file", "arms3.csv"}), "p0.csv:1: features of arms come from"},
      {{"o3m", "--ap", "users.csv", "--passive", "users.csv", "--environment", "env.csv", "--algorithm", "ucb"},
       "users.csv: no file tells the arms apart"},
      {{"o3m", "--ap", "users.csv", "--passive", "users.csv", "--environment", "env.csv", "--algorithm", "ucb",
        "--arms-file", "arms3.csv"},
       "arms3.csv: rows of 3 arms, but the run has 4"},
      {{"o3m", "--ap", "users.csv", "--passive", "users.csv", "--environment", "env.csv", "--algorithm", "ucb",
        "--arms-file", "arms_gap.csv"},
       "arms_gap.csv:4: no row of arm 2"},
      {with("p1.csv", {"--combine", "sum"}), "--combine: the sum"},
      {with("p1.csv", {"--combine", "product"}), "--combine: "},
      {with("p1.csv", {"--mask-generator", "0"}),
       "--mask-generator: mask_generator in [run]: the active participant, number 0, must not "},
      {with("p1.csv", {"--mask-generator", "2"}), "--mask-generator: there is no passive participant 2, "},
      {with("p1.csv", {"--mask-generator", "me"}), "--mask-generator: mask_generator in [run] must be "},
      {with("p1.csv", {"--lambda", "0"}), "--lambda: "},
      {with("p1.csv", {"--lambda", "-1"}), "--lambda: "},
      {with("p1.csv", {"--beta", "-0.1"}), "--beta: "},
      {with("p1.csv", {"--beta", "nan"}), "--beta: "},
      {with("p1.csv", {"--v", "-1"}), "--v: "},
      {with("p1.csv", {"--v", "much"}), "--v"},
      {with("p1.csv", {"--steps", "4"}), "--steps: 4 asked for, but the files have 1 to 3"},
      {with("p1.csv", {"--steps", "0"}), "--steps: '0' is not"},
      {with("p1.csv", {"--steps", "-1"}), "--steps"},
      {with("p1.csv", {"--insecure-seed", "-1"}), "--insecure-seed"},
      {{"o3m", "--ap", "p0.csv", "--passive", "p1.csv", "--environment", "env.csv", "--algorithm", "greedy"},
       "--algorithm: "},
      {{"o3m", "--ap", "p0.csv", "--passive", "p1.csv", "--environment", "env.csv"}, "--algorithm"},
      {{"o3m", "--ap", "p0.csv", "--environment", "env.csv", "--algorithm", "ucb"}, "--passive"},
      {{"o3m", "--passive", "p0.csv", "--environment", "env.csv", "--algorithm", "ucb"}, "--ap"},
      {{"o3m", "--ap", "p0.csv", "--passive", "p1.csv", "--algorithm", "ucb"}, "--environment"},
      {with("p1.csv", {"--passive", "p1.csv", "--passive", "p1.csv", "--passive", "p1.csv", "--passive", "p1.csv",
                       "--passive", "p1.csv", "--passive", "p1.csv", "--passive", "p1.csv"}),
       "--passive: 8 passive participants"},
  };
  for (const Bad& bad : table) {
    SottoProcess process(folder, bad.words);
    EXPECT_EQ(process.wait(), 2) << bad.says;
    const std::string error = process.err();
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
    EXPECT_NE(error.find(bad.says), std::string::npos) << error << " does not say " << bad.says;
    EXPECT_EQ(error.find("7351928"), std::string::npos) << error;
    EXPECT_EQ(process.out(), "");
  }
}

TEST(O3m, ZeroConstantAndDependentFeaturesAreFine) {
  const TestFolder folder;
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
  put(folder, "p1.csv", zero);
  put(folder, "p2.csv", constant);
  for (const char* algorithm : {"ucb", "ts"}) {
    const json result = data.run(Data::command(3, algorithm, {"--compare-central", "--json"}));
    EXPECT_EQ(result.at("arms_equal"), true);
    EXPECT_LT(result.at("max_score_difference"), 1e-9);
  }
}

TEST(O3m, AFolderThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const TestFolder folder;
  const Data data(folder, 2);
  put(folder, "file", "");
  SottoProcess process(folder, Data::command(2, "ucb", {"--out", "file"}));
  EXPECT_EQ(process.wait(), 6);
  EXPECT_NE(process.error().find("--out"), std::string::npos) << process.err();
}

}  // namespace
}  // namespace sotto::testing::o3m
