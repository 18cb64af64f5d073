#include <fmt/format.h>

#include <random>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

// Joint rows have norm 1 at most, and arm 0 is good if the first feature is positive.
class Logs : public ::testing::Test {
 protected:
  Logs() { write(1500); }

  void write(int rows) {
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> uniform(-.5, .5);
    std::string a = "x,y\n", b = "z,w\n", log = "id,arm,reward,propensity\n", labels = "label\n";
    for (int t = 0; t < rows; ++t) {
      const double x = uniform(random);
      a += fmt::format("{:.4f},{:.4f}\n", x, uniform(random));
      b += fmt::format("{:.4f},{:.4f}\n", uniform(random), uniform(random));
      const int arm = static_cast<int>(random() % 2);
      const bool earns = (arm == 0) == (x > 0);
      log += fmt::format("c{:05},{},{},0.5\n", t, arm, earns ? 1 : 0);
      labels += fmt::format("{}\n", x > 0 ? 0 : 1);
    }
    folder.write("a.csv", a);
    folder.write("b.csv", b);
    folder.write("log.csv", log);
    folder.write("labels.csv", labels);
  }
  static Words with_log(const std::string& more, const std::string& command = "bandit") {
    return joined({command, "--party", "a.csv", "--party", "b.csv", "--log", "log.csv"}, words_of(more));
  }

  TestFolder folder;
};

TEST_F(Logs, AreLearnedAndBegunFrom) {
  const json learned = result_of(folder, with_log("--json --out learned"));
  EXPECT_EQ(learned.at("status"), "complete");
  EXPECT_EQ(learned.at("log"), (json{{"task", "learn"}, {"file", "log.csv"}, {"reward_scale", 1.0}}));
  EXPECT_EQ(learned.at("rounds_per_step"), 6.0 * 13 / 1500);
  EXPECT_EQ(learned.at("eta_composed").at("basic"), 0.0);
  EXPECT_NEAR(learned.at("average_reward").get<double>(), .5, .05);
  EXPECT_FALSE(contents(folder.path() / "learned" / "report.html").empty());

  const Words trial = words_of(
      "bandit --party a.csv --party b.csv --environment labels.csv --steps 64 --max-norm 1.1 --epsilon 0.05 --json");
  const json begun = result_of(folder, joined(trial, words_of("--from learned --checkpoint-every 64 --out trial")));
  EXPECT_GT(begun.at("average_reward").get<double>(), .85);
  EXPECT_EQ(begun.at("from").at("events"), 1500);
  EXPECT_EQ(begun.at("batch"), 64);
  const json third = result_of(folder, joined(trial, {"--from", "trial"}));
  EXPECT_EQ(third.at("from").at("events"), 1564);
  EXPECT_NE(third.at("from").at("id"), begun.at("from").at("id"));

  expect_refused(folder, joined(trial, {"--from", "nothing"}), "nothing/state/party_0/config.toml");
  expect_refused(folder, joined(trial, {"--from", "learned", "--compare-plaintext"}), "--from excludes", 2);
  expect_refused(folder, joined(trial, {"--from", "learned", "--arms", "3"}), "has 2 arms and 4 features", 5);
}

TEST_F(Logs, AreEvaluated) {
  const json result = result_of(folder, with_log("--json --max-norm 1 --held-out 0.7", "evaluate"));
  EXPECT_EQ(result.at("status"), "complete");
  const json& evaluation = result.at("evaluation");
  EXPECT_EQ(evaluation.at("learned"), 450);
  EXPECT_EQ(evaluation.at("evaluated"), 1050);
  const json& policies = evaluation.at("policies");
  ASSERT_EQ(policies.size(), 4u);
  EXPECT_EQ(policies.at(0).at("policy"), "model");
  // The best arm earns 1, and the arms of the log earn .5; the model finds the best arm nearly always.
  EXPECT_GT(policies.at(0).at("value").at("high").get<double>(), .95);
  EXPECT_NEAR(policies.at(3).at("value").at("value").get<double>(), .5, .06);
  const json& twin = result.at("plaintext_evaluation").at("policies");
  const auto value_in = [](const json& of, std::size_t policy) {
    return of.at(policy).at("value").at("value").get<double>();
  };
  // The values of the run and of its twin differ by the noise of two parties, each with epsilon .5.
  EXPECT_NEAR(value_in(policies, 0), value_in(twin, 0), 3 * evaluation.at("noise_half_width").get<double>());
  for (const std::size_t arm : {1u, 2u}) EXPECT_EQ(value_in(policies, arm), value_in(twin, arm));
  std::uint64_t events = 0;
  for (const json& cell : evaluation.at("cells")) events += cell.at("events").get<std::uint64_t>();
  EXPECT_EQ(events, 1050u);
  ASSERT_EQ(evaluation.at("noise").size(), 2u);
  EXPECT_EQ(evaluation.at("noise").at(1).at("role"), "party 1");
  EXPECT_EQ(evaluation.at("noise").at(1).at("epsilon"), .5);
}

TEST_F(Logs, AreEvaluatedWithTheNoiseThatIsAskedFor) {
  const json result = result_of(
      folder,
      with_log("--json --max-norm 1 --held-out 0.7 --account-epsilon 100 --account-rows-per-subject 2 --cells 8",
               "evaluate"));
  const json& evaluation = result.at("evaluation");
  EXPECT_EQ(evaluation.at("noise").at(0).at("epsilon"), 100);
  EXPECT_EQ(evaluation.at("noise").at(0).at("rows_per_subject"), 2);
  EXPECT_LT(evaluation.at("noise_half_width"), 1e-3);
  EXPECT_NEAR(evaluation.at("policies").at(0).at("value").at("value").get<double>(),
              result.at("plaintext_evaluation").at("policies").at(0).at("value").at("value").get<double>(), .02);
  EXPECT_EQ(result.at("settings").at("cells"), 8);
}

TEST_F(Logs, AreEvaluatedBySegment) {
  std::istringstream lines(contents(folder.path() / "log.csv"));
  std::string log;
  std::string line;
  for (int t = 0; std::getline(lines, line); ++t) {
    log += line + (t == 0 ? ",place" : t > 1480 ? ",<far>" : t % 3 == 0 ? ",a" : ",b") + "\n";
  }
  folder.write("log.csv", log);
  const std::string flags = "--max-norm 1 --held-out 0.7 --account-epsilon 1 --segment place";
  const json result = result_of(folder, with_log("--json " + flags, "evaluate"));
  const json& evaluation = result.at("evaluation");
  EXPECT_EQ(evaluation.at("segment_column"), "place");
  EXPECT_EQ(result.at("settings").at("cells"), 36);
  const json& segments = evaluation.at("segments");
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments.at(0).at("segment"), "<far>");
  EXPECT_EQ(segments.at(0).at("evaluated"), 20);
  EXPECT_EQ(segments.at(0).at("policies").at(0).at("support"), "too few events");
  EXPECT_FALSE(segments.at(0).at("policies").at(0).contains("bounds"));
  for (const std::size_t number : {1, 2}) {
    const json& twin = result.at("plaintext_evaluation").at("segments").at(number);
    EXPECT_EQ(twin.at("segment"), segments.at(number).at("segment"));
    EXPECT_NEAR(segments.at(number).at("policies").at(0).at("value").at("value").get<double>(),
                twin.at("policies").at(0).at("value").at("value").get<double>(), .1);
  }
  std::int64_t events = 0;
  for (const json& cell : evaluation.at("cells")) {
    if (cell.at("segment") == "<far>") events += cell.at("events").get<std::int64_t>();
  }
  EXPECT_EQ(events, 20);

  SottoProcess process(folder, with_log(flags + " --out segments", "evaluate"));
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(process.out(), ::testing::AllOf(HasSubstr("place b"), HasSubstr("where the log earned"),
                                              HasSubstr("too few events: the noise of the parties hides it")));
  EXPECT_THAT(contents(folder.path() / "segments" / "report.html"),
              ::testing::AllOf(HasSubstr("By place"), HasSubstr("&lt;far&gt;"), ::testing::Not(HasSubstr("<far>"))));
  const Refusals refusals = {
      {"--segment region", "log.csv:1: there is no column 'region'"},
      {"--segment reward", "--segment: 'reward' has a meaning of its own"},
      {"--segment place --answers bit", "--segment: divides counts, and --answers bit shows none"},
      {"--segment place --cells 4", "set --cells 6"},
      {"--segment id", "--segment: 'id' has a meaning of its own"},
  };
  for (const auto& [more, says] : refusals) {
    expect_refused(folder, with_log("--max-norm 1 --held-out 0.7 " + more, "evaluate"), says);
  }
}

TEST_F(Logs, WithoutSupportGiveBoundsOrNothing) {
  std::string log = "arm,reward,propensity\n";
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-.5, .5);
  for (int t = 0; t < 1500; ++t) {
    const double x = uniform(random);
    uniform(random), uniform(random), uniform(random);
    const int arm = static_cast<int>(random() % 2);
    log += fmt::format("{},{},1\n", arm, (arm == 0) == (x > 0) ? 1 : 0);
  }
  folder.write("log.csv", log);
  const json policies = result_of(folder, with_log("--json --max-norm 1 --held-out 0.7 --arms 3", "evaluate"))
                            .at("evaluation")
                            .at("policies");
  EXPECT_EQ(policies.at(0).at("support"), "lacking");
  EXPECT_FALSE(policies.at(0).contains("value"));
  EXPECT_LT(policies.at(0).at("bounds").at("low"), .8);
  EXPECT_GT(policies.at(0).at("bounds").at("high"), .9);
  EXPECT_EQ(policies.at(3).at("support"), "not played");
  EXPECT_FALSE(policies.at(3).contains("bounds"));
  EXPECT_EQ(policies.at(4).at("support"), "shown");

  SottoProcess process(folder, with_log("--max-norm 1 --held-out 0.7 --arms 3 --out bounds", "evaluate"));
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(process.out(), ::testing::AllOf(HasSubstr("bounds alone, as in some"), HasSubstr("mean weight 0.5"),
                                              HasSubstr("not played: no value")));
  EXPECT_THAT(process.err(), ::testing::AllOf(HasSubstr("a.csv, b.csv: nothing says that row t"),
                                              HasSubstr("log.csv: nothing says that row t"),
                                              HasSubstr("2 of the arms 0 to 2 are in the log")));
  const std::string page = contents(folder.path() / "bounds" / "report.html");
  EXPECT_THAT(page, ::testing::AllOf(HasSubstr("epsilon-differentially private"), HasSubstr("The log cannot say"),
                                     HasSubstr("not played")));
}

TEST_F(Logs, EnvironmentsWithoutAnOrderAreWarnedOf) {
  const auto ids = [](const std::string& file) {
    std::string text = "id";
    std::istringstream lines(file);
    std::string line;
    std::getline(lines, line);
    text += "," + line + "\n";
    for (int t = 0; std::getline(lines, line); ++t) text += fmt::format("c{:05},{}\n", t, line);
    return text;
  };
  for (const char* name : {"a", "b"}) {
    folder.write(fmt::format("{}_ids.csv", name), ids(contents(folder.path() / fmt::format("{}.csv", name))));
    succeed(folder, words_of(fmt::format("prepare party {0}_ids.csv --id id --out {0}", name)));
  }
  SottoProcess process(folder,
                       words_of("bandit --party a/rows.csv --party b/rows.csv --environment labels.csv --steps 64 "
                                "--batch 32 --max-norm 1 --out run"));
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_THAT(process.err(), HasSubstr("sotto: warning: labels.csv: nothing says that row t is about the same case"));
}

TEST_F(Logs, ThatCannotBeAreRefused) {
  const Refusals refusals = {
      {"--held-out 0.666", "--held-out: 999 events"},
      {"--held-out 1", "the whole log is held out"},
      {"--held-out 0.7 --least-propensity 0.6", "a propensity below 0.6"},
      {"--arms 1", "log.csv:"},
      {"--held-out 0.7 --cells 1", "--cells: from 2 to 64, not 1"},
      {"--held-out 0.7 --cells 65", "--cells"},
      {"--held-out 0.7 --account-epsilon 0", "--account-epsilon"},
      {"--held-out 0.7 --account-epsilon 0.01", "larger --account-epsilon"},
      {"--held-out 0.7 --account-rows-per-subject 0", "--account-rows-per-subject"},
      {"--held-out 0.7 --propensities frequencies --arms-offered 1", "--arms-offered: an arm's share of the log"},
      {"--held-out 0.7 --full-support --arms-offered 1", "--full-support: each event had a choice of 1 of 2 arms"},
  };
  for (const auto& [more, says] : refusals) expect_refused(folder, with_log("--max-norm 1 " + more, "evaluate"), says);
  expect_refused(folder, with_log("--steps 1501"), "the log has 1500 events");
  expect_refused(folder, with_log("--environment labels.csv"), "--log excludes --environment");
  expect_refused(folder, small_run({"--reward-scale", "2"}), "--reward-scale needs --log");
  folder.write("log.csv", "arm,reward\n0,1\n1,7351928%\n");
  expect_refused(folder, with_log(""), "log.csv:3:2");
  folder.write("log.csv", "arm,reward\n0,1\n1,0\n");
  expect_refused(folder, with_log(""), "2 events, but a.csv has 1500 rows");
}

TEST_F(Logs, PartsAreComparedWithTheWhole) {
  const Words words = words_of(
      "bandit --party a.csv --party b.csv --environment labels.csv --steps 600 --max-norm 1 --json "
      "--batch 32 --out parts");
  const json result = result_of(folder, words);
  const json& parts = result.at("compare_parts");
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts.at(0).at("name"), "party 0");
  EXPECT_EQ(parts.at(2).at("name"), "all together");
  // The label depends on a feature of party 0.
  EXPECT_GT(parts.at(0).at("average_reward").get<double>(), .75);
  EXPECT_NEAR(parts.at(1).at("average_reward").get<double>(), .5, .1);
  EXPECT_NEAR(parts.at(2).at("average_reward").get<double>(), result.at("average_reward").get<double>(), .1);
  EXPECT_EQ(parts.at(1).at("reward_curve").back().at("step"), 600);
  for (const json& part : parts) EXPECT_GE(part.at("plays"), 20);
  EXPECT_EQ(result.at("plaintext_average_reward"), parts.at(2).at("average_reward"));
  EXPECT_EQ(result.at("plaintext_plays"), parts.at(2).at("plays"));
  const json& worth = result.at("worth");
  EXPECT_EQ(worth.at("lifts").size(), 3U);
  EXPECT_TRUE(has(worth.at("sentence").get<std::string>(), "The parties together earned"));
  EXPECT_TRUE(has(contents(folder.path() / "parts" / "report.html"), "The worth of joining"));
}

}  // namespace
}  // namespace sotto::testing
