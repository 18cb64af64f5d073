#include <csignal>

#include "tests/process/o3m_data.h"

namespace sotto::testing::o3m {
namespace {

// `sotto o3m` as a user runs it: what comes out.

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

// `sotto o3m` that loses a process, or is interrupted.

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

}  // namespace
}  // namespace sotto::testing::o3m
