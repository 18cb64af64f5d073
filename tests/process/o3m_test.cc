#include <csignal>

#include "tests/process/sotto_process.h"

namespace sotto::testing::o3m {

inline constexpr std::size_t arms = 4;

using O3m = InFolder;

// Data of up to five participants: contexts with 2 to 4 features each, rewards from a linear model of all features, and
// the means of the rewards.
class Data {
 public:
  explicit Data(const TestFolder& folder, std::size_t steps = 120) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    std::vector<std::string> texts;
    for (std::size_t j = 0; j < 5; ++j) {
      texts.emplace_back("t,arm");
      for (std::size_t i = 0; i < columns(j); ++i) texts[j] += ",f" + std::to_string(i);
      texts[j] += "\n";
    }
    std::string rewards = "t,arm,reward,mean\n";
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t arm = 0; arm < arms; ++arm) {
        const std::string pair = std::to_string(t) + "," + std::to_string(arm);
        double mean = 0;
        for (std::size_t j = 0; j < 5; ++j) {
          texts[j] += pair;
          for (std::size_t i = 0; i < columns(j); ++i) {
            const double x = normal(random) / 4;
            mean += x * std::cos(static_cast<double>(3 * j + i));
            texts[j] += "," + std::to_string(x);
          }
          texts[j] += "\n";
        }
        reward_.push_back(std::stod(std::to_string(mean + normal(random) / 20)));
        mean_.push_back(std::stod(std::to_string(mean)));
        rewards += pair + "," + std::to_string(reward_.back()) + "," + std::to_string(mean) + "\n";
      }
    }
    for (std::size_t j = 0; j < 5; ++j) folder.write("p" + std::to_string(j) + ".csv", texts[j]);
    folder.write("env.csv", rewards);
  }

  static std::size_t columns(std::size_t participant) { return 2 + participant % 3; }
  static std::size_t dimension(std::size_t participants) {
    std::size_t sum = 0;
    for (std::size_t j = 0; j < participants; ++j) sum += columns(j);
    return sum;
  }
  [[nodiscard]] static Words command(std::size_t participants, const std::string& algorithm, const std::string& more) {
    std::string line = "o3m --ap p0.csv --environment env.csv --algorithm " + algorithm;
    for (std::size_t j = 1; j < participants; ++j) line += " --passive p" + std::to_string(j) + ".csv";
    return words_of(line + " " + more);
  }
  [[nodiscard]] double reward(std::size_t t, std::size_t arm) const { return reward_[t * arms + arm]; }
  [[nodiscard]] double regret(std::size_t t, std::size_t arm) const {
    double best = mean_[t * arms];
    for (std::size_t k = 0; k < arms; ++k) best = std::max(best, mean_[t * arms + k]);
    return best - mean_[t * arms + arm];
  }

 private:
  std::vector<double> reward_;
  std::vector<double> mean_;
};

namespace {

TEST_F(O3m, LosesNothingToTheCentralTwin) {
  const Data data(folder);
  for (const std::size_t participants : {2u, 3u, 5u}) {
    for (const char* algorithm : {"ucb", "ts"}) {
      const json result = result_of(folder, Data::command(participants, algorithm, "--v 0.2 --compare-central --json"));
      expect_fields(result, {{"status", "complete"}, {"algorithm", algorithm}, {"arms_equal", true}});
      EXPECT_LT(result.at("max_score_difference"), 1e-9);
      EXPECT_EQ(result.at("dimension"), Data::dimension(participants));
      EXPECT_GT(result.at("central_seconds_per_step"), 0.0);
      EXPECT_EQ(result.at("central_average_reward"), result.at("average_reward"));
      const double masked =
          static_cast<double>((participants - 1) * arms * Data::dimension(participants) * sizeof(double));
      EXPECT_GT(result.at("bytes_per_step"), masked);
      EXPECT_LT(result.at("bytes_per_step"), masked * 1.2 + 32);
      EXPECT_EQ(result.at("roles").size(), participants + 1);
      EXPECT_EQ(result.at("leakage").at("active participant").empty(), false);
    }
  }
}

TEST_F(O3m, RewardsAndRegretAreThoseOfTheArms) {
  const Data data(folder);
  const json result = result_of(folder, Data::command(3, "ucb", "--steps 90 --json"));
  EXPECT_EQ(result.at("steps"), 90);
  ASSERT_EQ(result.at("arms").size(), 90u);
  ASSERT_EQ(result.at("rewards").size(), 90u);
  double sum = 0;
  double regret = 0;
  for (std::size_t t = 0; t < 90; ++t) {
    const std::size_t arm = result.at("arms").at(t);
    ASSERT_LT(arm, arms);
    EXPECT_EQ(result.at("rewards").at(t), data.reward(t, arm));
    sum += data.reward(t, arm);
    regret += data.regret(t, arm);
  }
  EXPECT_NEAR(result.at("average_reward"), sum / 90, 1e-12);
  EXPECT_NEAR(result.at("cumulative_regret"), regret, 1e-9);
  EXPECT_EQ(result.at("regret_curve").back().at("cumulative_regret"), result.at("cumulative_regret"));
  EXPECT_LT(result.at("cumulative_regret"), result.at("uniform_regret"));
  EXPECT_TRUE(result.at("arms_equal").is_null());
  EXPECT_TRUE(result.at("max_score_difference").is_null());
  EXPECT_EQ(result.at("insecure"), json::array());
}

TEST_F(O3m, HasNoRegretWithoutMeans) {
  const Data data(folder, 2);
  folder.write("env.csv", "t,arm,reward\n0,0,1\n0,1,0\n0,2,0\n0,3,0\n1,0,1\n1,1,0\n1,2,0\n1,3,0\n");
  const json result = result_of(folder, Data::command(2, "ucb", "--json"));
  EXPECT_TRUE(result.at("cumulative_regret").is_null());
  EXPECT_FALSE(result.contains("regret_curve"));
}

TEST_F(O3m, AnInsecureSeedRepeatsARun) {
  const Data data(folder);
  for (const char* algorithm : {"ucb", "ts"}) {
    const auto outcome = [&](const char* seed) {
      const json result = result_of(
          folder, Data::command(3, algorithm, std::string("--v 0.5 --compare-central --json --insecure-seed ") + seed));
      EXPECT_EQ(result.at("insecure"), json::array({"insecure-seed"}));
      return json{result.at("arms"), result.at("rewards"), result.at("max_score_difference")};
    };
    const json first = outcome("5");
    EXPECT_EQ(first, outcome("5"));
    if (algorithm == std::string("ts")) {
      EXPECT_NE(first, outcome("6"));
    }
  }
}

TEST_F(O3m, APassiveParticipantMayGenerateTheMask) {
  const Data data(folder);
  const json result = result_of(folder, Data::command(3, "ucb", "--mask-generator 2 --compare-central --json"));
  EXPECT_EQ(result.at("mask_generator"), 2);
  EXPECT_EQ(result.at("arms_equal"), true);
  EXPECT_LT(result.at("max_score_difference"), 1e-9);
  EXPECT_EQ(result.at("roles").size(), 3u);
  EXPECT_TRUE(result.at("leakage").contains("passive participant 2, the mask generator"));
}

TEST_F(O3m, InsecureRunsAreStamped) {
  const Data data(folder);
  const json result = result_of(
      folder,
      Data::command(3, "ucb",
                    "--insecure-blocks --insecure-plaintext --acknowledge-leakage --compare-central --out run --json"));
  expect_fields(result, {{"insecure", json::array({"insecure-plaintext", "insecure-blocks"})},
                         {"secure_summation", false},
                         {"leakage_acknowledged", true},
                         {"arms_equal", true}});
  EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")), result);
  EXPECT_THAT(contents(folder.path() / "run" / "report.html"), HasSubstr("Insecure run: insecure-blocks"));
}

TEST_F(O3m, ASummaryForPeople) {
  const Data data(folder);
  SottoProcess process(folder, Data::command(2, "ts", "--compare-central --out run"));
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(process.out(), HasSubstr("120 steps of LinTS, 2 participants, 5 features, 4 arms"));
  EXPECT_THAT(process.out(), HasSubstr("same arms"));
  EXPECT_THAT(process.out(), HasSubstr("not by encryption"));
  EXPECT_EQ(process.err(), "");
  EXPECT_TRUE(fs::exists(folder.path() / "run" / "report.html"));
}

TEST_F(O3m, AFailedRunIsWrittenDown) {
  const Data data(folder, 20000);
  for (const char* name : {"active", "mask_generator"}) {
    const std::string role = name;
    SottoProcess process(folder, Data::command(5, "ucb", "--json --out run-" + role));
    ::kill(process.child(role + ".toml"), SIGKILL);
    expect_end(process, 3, "killed by signal 9");
    const json written = json::parse(contents(folder.path() / ("run-" + role) / "run.json"));
    EXPECT_EQ(written.at("status"), "failed");
    EXPECT_THAT(written.at("error").get<std::string>(), HasSubstr("killed by signal 9"));
    EXPECT_EQ(written.at("arms"), json::array());
    EXPECT_EQ(process.json().at("status"), "failed");
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST_F(O3m, AnInterruptEndsAll) {
  const Data data(folder, 20000);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    SottoProcess process(folder, Data::command(5, "ucb", "--json --out run"));
    while (process.children().size() < 6) process.look_again();
    expect_interrupted(process, folder, 6, signal);
    EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")).at("status"), "failed");
  }
}

// `sotto o3m` can combine the features of users with the features of arms, by concatenation or by outer sum. The
// results must equal those of files that already contain the combined features ("joined" and "sum").
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
