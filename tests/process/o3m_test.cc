// `sotto o3m` as a user runs it: results, faults, bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr std::size_t arms = 4;

void put(const TestFolder& folder, const std::string& name, const std::string& text) {
  (void)folder.write(name, text);
}

// Contexts of up to five participants, 2 to 4 features each, with rewards from a linear model of all
// of them and its means.
class Data {
 public:
  explicit Data(const TestFolder& folder, std::size_t steps = 120) : folder_(folder) {
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
    for (std::size_t j = 0; j < 5; ++j) {
      put(folder, "p" + std::to_string(j) + ".csv", texts[j]);
    }
    put(folder, "env.csv", rewards);
  }

  static std::size_t columns(std::size_t participant) { return 2 + participant % 3; }
  static std::size_t dimension(std::size_t participants) {
    std::size_t sum = 0;
    for (std::size_t j = 0; j < participants; ++j) sum += columns(j);
    return sum;
  }
  [[nodiscard]] static Words command(std::size_t participants, const std::string& algorithm,
                                     const Words& more) {
    Words words{"o3m", "--ap", "p0.csv", "--environment", "env.csv", "--algorithm", algorithm};
    for (std::size_t j = 1; j < participants; ++j) {
      words.insert(words.end(), {"--passive", "p" + std::to_string(j) + ".csv"});
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] json run(const Words& words) const {
    SottoProcess process(folder_, words);
    EXPECT_EQ(process.wait(), 0) << process.err();
    EXPECT_TRUE(folder_.nothing_left());
    return json::parse(process.out());
  }
  [[nodiscard]] double reward(std::size_t t, std::size_t arm) const {
    return reward_[t * arms + arm];
  }
  [[nodiscard]] double regret(std::size_t t, std::size_t arm) const {
    double best = mean_[t * arms];
    for (std::size_t k = 0; k < arms; ++k) best = std::max(best, mean_[t * arms + k]);
    return best - mean_[t * arms + arm];
  }

 private:
  const TestFolder& folder_;
  std::vector<double> reward_;
  std::vector<double> mean_;
};

TEST(O3m, LosesNothingToTheCentralTwin) {
  const TestFolder folder;
  const Data data(folder);
  for (const std::size_t participants : {2u, 3u, 5u}) {
    for (const char* algorithm : {"ucb", "ts"}) {
      const json result = data.run(
          Data::command(participants, algorithm, {"--v", "0.2", "--compare-central", "--json"}));
      EXPECT_EQ(result.at("status"), "complete");
      EXPECT_EQ(result.at("algorithm"), algorithm);
      EXPECT_EQ(result.at("arms_equal"), true);
      EXPECT_LT(result.at("max_score_difference"), 1e-9);
      EXPECT_EQ(result.at("dimension"), Data::dimension(participants));
      EXPECT_GT(result.at("central_seconds_per_step"), 0.0);
      EXPECT_EQ(result.at("central_average_reward"), result.at("average_reward"));
      const double masked = static_cast<double>((participants - 1) * arms *
                                                Data::dimension(participants) * sizeof(double));
      EXPECT_GT(result.at("bytes_per_step"), masked);
      EXPECT_LT(result.at("bytes_per_step"), masked * 1.2 + 32);
      EXPECT_EQ(result.at("roles").size(), participants + 1);
      EXPECT_EQ(result.at("leakage").at("active participant").empty(), false);
    }
  }
}

TEST(O3m, RewardsAndRegretAreThoseOfTheArms) {
  const TestFolder folder;
  const Data data(folder);
  const json result = data.run(Data::command(3, "ucb", {"--steps", "90", "--json"}));
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
  EXPECT_EQ(result.at("regret_curve").back().at("cumulative_regret"),
            result.at("cumulative_regret"));
  EXPECT_LT(result.at("cumulative_regret"), result.at("uniform_regret"));
  EXPECT_TRUE(result.at("arms_equal").is_null());
  EXPECT_TRUE(result.at("max_score_difference").is_null());
  EXPECT_EQ(result.at("insecure"), json::array());
}

TEST(O3m, HasNoRegretWithoutMeans) {
  const TestFolder folder;
  const Data data(folder, 2);
  put(folder, "env.csv", "t,arm,reward\n0,0,1\n0,1,0\n0,2,0\n0,3,0\n1,0,1\n1,1,0\n1,2,0\n1,3,0\n");
  const json result = data.run(Data::command(2, "ucb", {"--json"}));
  EXPECT_TRUE(result.at("cumulative_regret").is_null());
  EXPECT_FALSE(result.contains("regret_curve"));
}

TEST(O3m, AnInsecureSeedRepeatsARun) {
  const TestFolder folder;
  const Data data(folder);
  for (const char* algorithm : {"ucb", "ts"}) {
    const auto outcome = [&](const char* seed) {
      const json result = data.run(Data::command(
          3, algorithm, {"--v", "0.5", "--insecure-seed", seed, "--compare-central", "--json"}));
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

TEST(O3m, APassiveParticipantMayGenerateTheMask) {
  const TestFolder folder;
  const Data data(folder);
  const json result =
      data.run(Data::command(3, "ucb", {"--mask-generator", "2", "--compare-central", "--json"}));
  EXPECT_EQ(result.at("mask_generator"), 2);
  EXPECT_EQ(result.at("arms_equal"), true);
  EXPECT_LT(result.at("max_score_difference"), 1e-9);
  EXPECT_EQ(result.at("roles").size(), 3u);
  EXPECT_TRUE(result.at("leakage").contains("passive participant 2, the mask generator"));
}

TEST(O3m, InsecureRunsAreStamped) {
  const TestFolder folder;
  const Data data(folder);
  const json result =
      data.run(Data::command(3, "ucb",
                             {"--insecure-blocks", "--insecure-plaintext", "--acknowledge-leakage",
                              "--compare-central", "--out", "run", "--json"}));
  EXPECT_EQ(result.at("insecure"), json::array({"insecure-plaintext", "insecure-blocks"}));
  EXPECT_EQ(result.at("secure_summation"), false);
  EXPECT_EQ(result.at("leakage_acknowledged"), true);
  EXPECT_EQ(result.at("arms_equal"), true);
  EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")), result);
  EXPECT_NE(contents(folder.path() / "run" / "report.html").find("Insecure run: insecure-blocks"),
            std::string::npos);
}

TEST(O3m, ASummaryForPeople) {
  const TestFolder folder;
  const Data data(folder);
  SottoProcess process(folder, Data::command(2, "ts", {"--compare-central", "--out", "run"}));
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_NE(process.out().find("120 steps of LinTS, 2 participants, 5 features, 4 arms"),
            std::string::npos);
  EXPECT_NE(process.out().find("same arms"), std::string::npos);
  EXPECT_NE(process.out().find("not by encryption"), std::string::npos);
  EXPECT_EQ(process.err(), "");
  EXPECT_TRUE(fs::exists(folder.path() / "run" / "report.html"));
}

// User features of both, arm features: concatenated and as an outer sum, against the same in long
// form.
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
      sum[1] += pair + number(user[1] + q[0]) + "," + number(user[1] + q[1]) + "," +
                number(user[2] + q[0]) + "," + number(user[2] + q[1]) + "\n";
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
    Words words{"o3m",
                "--ap",
                name + "0.csv",
                "--passive",
                name + "1.csv",
                "--environment",
                "env.csv",
                "--algorithm",
                "ucb",
                "--insecure-seed",
                "1",
                "--compare-central",
                "--json"};
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
    Words words{"o3m",           "--ap",    "p0.csv",      "--passive", passive,
                "--environment", "env.csv", "--algorithm", "ucb"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto environment = [](const char* file) {
    return Words{"o3m",           "--ap", "p0.csv",      "--passive", "p1.csv",
                 "--environment", file,   "--algorithm", "ucb"};
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
      {with("few_arms.csv"), "few_arms.csv: rows of 1 arms, but the run has 4"},
      {with("from_one.csv"), "from_one.csv: steps are numbered from 1, but from 0 in env.csv"},
      {environment("no_reward.csv"), "no_reward.csv:1: an O3M environment needs a column 'reward'"},
      {environment("nan_reward.csv"), "nan_reward.csv:2:3: not a finite number"},
      {environment("empty_reward.csv"), "empty_reward.csv:2:4: the cell is empty"},
      {with("users.csv", {"--arms-file", "arms3.csv"}), "p0.csv:1: features of arms come from"},
      {{"o3m", "--ap", "users.csv", "--passive", "users.csv", "--environment", "env.csv",
        "--algorithm", "ucb"},
       "users.csv: no file tells the arms apart"},
      {{"o3m", "--ap", "users.csv", "--passive", "users.csv", "--environment", "env.csv",
        "--algorithm", "ucb", "--arms-file", "arms3.csv"},
       "arms3.csv: rows of 3 arms, but the run has 4"},
      {{"o3m", "--ap", "users.csv", "--passive", "users.csv", "--environment", "env.csv",
        "--algorithm", "ucb", "--arms-file", "arms_gap.csv"},
       "arms_gap.csv:4: no row of arm 2"},
      {with("p1.csv", {"--combine", "sum"}), "--combine: the sum"},
      {with("p1.csv", {"--combine", "product"}), "--combine: "},
      {with("p1.csv", {"--mask-generator", "0"}), "--mask-generator: the active participant must "},
      {with("p1.csv", {"--mask-generator", "2"}), "--mask-generator: the mask generator is "},
      {with("p1.csv", {"--mask-generator", "me"}), "--mask-generator: the mask generator is "},
      {with("p1.csv", {"--lambda", "0"}), "--lambda: "},
      {with("p1.csv", {"--lambda", "-1"}), "--lambda: "},
      {with("p1.csv", {"--beta", "-0.1"}), "--beta: "},
      {with("p1.csv", {"--beta", "nan"}), "--beta: "},
      {with("p1.csv", {"--v", "-1"}), "--v: "},
      {with("p1.csv", {"--v", "much"}), "--v"},
      {with("p1.csv", {"--steps", "4"}), "--steps: 4 asked for, but the files have 1 to 3"},
      {with("p1.csv", {"--steps", "0"}), "--steps: 0 asked for"},
      {with("p1.csv", {"--steps", "-1"}), "--steps"},
      {with("p1.csv", {"--insecure-seed", "-1"}), "--insecure-seed"},
      {{"o3m", "--ap", "p0.csv", "--passive", "p1.csv", "--environment", "env.csv", "--algorithm",
        "greedy"},
       "--algorithm: "},
      {{"o3m", "--ap", "p0.csv", "--passive", "p1.csv", "--environment", "env.csv"}, "--algorithm"},
      {{"o3m", "--ap", "p0.csv", "--environment", "env.csv", "--algorithm", "ucb"}, "--passive"},
      {{"o3m", "--passive", "p0.csv", "--environment", "env.csv", "--algorithm", "ucb"}, "--ap"},
      {{"o3m", "--ap", "p0.csv", "--passive", "p1.csv", "--algorithm", "ucb"}, "--environment"},
      {with("p1.csv",
            {"--passive", "p1.csv", "--passive", "p1.csv", "--passive", "p1.csv", "--passive",
             "p1.csv", "--passive", "p1.csv", "--passive", "p1.csv", "--passive", "p1.csv"}),
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

TEST(O3m, AFailedRunIsWrittenDown) {
  const TestFolder folder;
  const Data data(folder, 20000);
  for (const char* name : {"active", "mask_generator"}) {
    const std::string role = name;
    SottoProcess process(folder, Data::command(5, "ucb", {"--json", "--out", "run-" + role}));
    pid_t victim = -1;
    for (int look = 0; look < 20000 && victim < 0; ++look) {
      for (const pid_t child : process.children()) {
        const std::string line = contents(fs::path("/proc") / std::to_string(child) / "cmdline");
        if (line.find(role + ".toml") != std::string::npos) victim = child;
      }
    }
    ASSERT_GT(victim, 0);
    ::kill(victim, SIGKILL);
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_NE(process.error().find("killed by signal 9"), std::string::npos) << process.err();
    const json written = json::parse(contents(folder.path() / ("run-" + role) / "run.json"));
    EXPECT_EQ(written.at("status"), "failed");
    EXPECT_NE(written.at("error").get<std::string>().find("killed by signal 9"), std::string::npos);
    EXPECT_EQ(written.at("arms"), json::array());
    EXPECT_EQ(json::parse(process.out()).at("status"), "failed");
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(O3m, AnInterruptEndsAll) {
  const TestFolder folder;
  const Data data(folder, 20000);
  for (const int signal : {SIGINT, SIGTERM}) {
    SottoProcess process(folder, Data::command(5, "ucb", {"--json", "--out", "run"}));
    std::vector<pid_t> children;
    while (children.size() < 6 && runs(process.pid())) children = process.children();
    ASSERT_EQ(children.size(), 6u);
    process.signal(signal);
    EXPECT_EQ(process.wait(), 130) << process.err();
    for (const pid_t child : children) EXPECT_FALSE(runs(child));
    EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")).at("status"), "failed");
    EXPECT_TRUE(folder.nothing_left());
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
}  // namespace sotto::testing
