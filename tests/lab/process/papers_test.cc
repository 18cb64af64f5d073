#include <fmt/format.h>

#include "apps/kit/files/json.h"
#include "sotto/protocol/async/pool.h"
#include "tests/framework.h"
#include "tests/lab/data/samples.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using Arguments = std::vector<std::string>;

Arguments joined(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void expect_refused(const TestFolder& folder, const Arguments& command,
                    const std::vector<std::pair<Arguments, std::string>>& cases) {
  for (const auto& [arguments, says] : cases) {
    SottoProcess process(folder, joined(command, arguments));
    EXPECT_EQ(process.wait(), 2) << says;
    const std::string error = process.err();
    EXPECT_TRUE(has(error, says)) << error;
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
    EXPECT_EQ(process.out(), "");
    EXPECT_FALSE(fs::exists(folder.path() / "o" / "run.json"));
  }
}

TEST(O3mAudit, GivesTheKnownFigures) {
  const TestFolder folder;
  SottoProcess process(folder, {"audit", "--json", "--out", "audit.html"});
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto found = process.json();
  EXPECT_EQ(found["contexts"], 3000);
  EXPECT_EQ(found["recovery"][0]["known"], 12);
  EXPECT_LT(found["recovery"][0]["largest_error"], 1e-13);
  EXPECT_LT(found["mask_generator_error"], 1e-13);
  const std::string page = contents(folder.path() / "audit.html");
  EXPECT_TRUE(has(page, "What O3M leaks"));
  EXPECT_TRUE(has(page, "sotto-lab audit --json --out audit.html"));
}

TEST(O3mAudit, ReadsParticipantsFiles) {
  const TestFolder folder;
  std::string a = "t,arm,x\n", b = "t,arm,y,z\n";
  for (int t = 0; t < 30; ++t) {
    for (int arm = 0; arm < 2; ++arm) {
      const std::string pair = std::to_string(t) + "," + std::to_string(arm) + ",";
      a += pair + std::to_string((t * 7 + arm) % 11) + "\n";
      b += pair + std::to_string((t * 5 + 3 * arm) % 13) + "," + std::to_string(t % 4) + "\n";
    }
  }
  (void)folder.write("a.csv", a);
  (void)folder.write("b.csv", b);
  SottoProcess process(folder, {"audit", "--ap", "a.csv", "--passive", "b.csv"});
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "60 contexts of 3 features in 2 participants"));
  EXPECT_TRUE(has(process.out(), "2 known of 2"));
  EXPECT_TRUE(has(process.out(), "secure summation hides nothing"));
}

TEST(O3mAudit, RefusesWhatDoesNotFit) {
  const TestFolder folder;
  (void)folder.write("a.csv", "t,arm,x\n0,0,1\n1,0,2\n");
  (void)folder.write("nan.csv", "t,arm,x\n0,0,1\n1,0,nan\n");
  expect_refused(folder, {"audit"},
                 {
                     {{"--ap", "a.csv"}, "--passive"},
                     {{"--passive", "a.csv"}, "--ap"},
                     {{"--ap", "a.csv", "--passive", "nan.csv"}, "nan.csv:3"},
                     {{"--ap", "a.csv", "--passive", "none.csv"}, "none.csv"},
                     {{"--ap", "a.csv", "--passive", "a.csv"}, "more contexts than features"},
                     {{"--known", "13"}, "--known"},
                     {{"--own", "15"}, "--own"},
                     {{"--participants", "9"}, "--participants"},
                     {{"--users", "1"}, "--users"},
                     {{"--out", "no/such/page.html"}, "--out"},
                 });
}

TEST(O3mPaper, WritesAReportOfAShortRun) {
  const TestFolder folder;
  const auto log = folder.write("<log>.txt", apps::lab::criteo_sample(1500, 1));
  const fs::path out = folder.path() / "out";
  SottoProcess process(folder, {"paper", "o3m", "--quick", "--steps", "80", "--seed", "3", "--criteo", log.string(),
                                "--out", out.string(), "--json"});
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto printed = process.json();
  const auto found = nlohmann::json::parse(contents(out / "run.json"));
  EXPECT_EQ(printed, found);
  EXPECT_EQ(found["status"], "complete");
  EXPECT_EQ(found["settings"]["repeats"], 8);
  EXPECT_EQ(found["settings"]["dimension"], 100);
  EXPECT_EQ(found["all_passed"], true);
  EXPECT_EQ(found["criteo"]["rows"], 1500);
  EXPECT_EQ(found["criteo"]["arms"], 40);
  EXPECT_EQ(found["criteo"]["policies"].size(), 5u);
  EXPECT_EQ(found["synthetic"].size(), 2u);
  EXPECT_EQ(found["synthetic"][0]["points"].size(), 80u);
  EXPECT_EQ(found["synthetic"][0]["policies"].size(), 9u);
  EXPECT_EQ(found["synthetic"][0]["arms_equal"], true);
  EXPECT_EQ(found["tables"]["table_1"].size(), 4u);
  EXPECT_TRUE(has(contents(out / "report.html"), "Figure 6 (c)"));
  EXPECT_FALSE(has(contents(out / "report.html"), "<log>"));
}

TEST(O3mPaper, SaysWhereTheReportIsAndWhatIsMissing) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  SottoProcess process(folder, {"paper", "o3m", "--quick", "--repeats", "1", "--steps", "5", "--out", out.string()});
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "Table 1"));
  EXPECT_TRUE(has(process.out(), "needs the Criteo log"));
  EXPECT_TRUE(has(process.out(), "regret was not compared"));
  EXPECT_TRUE(has(process.out(), (out / "report.html").string()));
}

TEST(O3mPaper, NeedsNoMoreMemoryForALongerLog) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers keep freed memory for a while";
  const TestFolder folder;
  const auto peak = [&](const std::string& name, std::size_t rows) {
    const auto log = folder.write(name, apps::lab::criteo_sample(rows, 1, 4));
    SottoProcess process(
        folder, {"paper", "o3m", "--quick", "--repeats", "1", "--steps", "5", "--criteo", log.string(), "--json"});
    EXPECT_EQ(process.wait(), 0) << process.err();
    return process.peak_memory_bytes();
  };
  const std::uint64_t few = peak("few.txt", 2000);
  EXPECT_LT(peak("many.txt", 20'000), few + 3'000'000);
  EXPECT_FALSE(fs::exists(folder.path() / "sotto-runs"));
}

TEST(O3mPaper, RefusesWhatItCannotUseInOneLine) {
  const TestFolder folder;
  const auto bad = folder.write("bad.txt", apps::lab::criteo_sample(30, 1) + "1\t2\t3\n");
  const auto one = folder.write("one.txt", apps::lab::criteo_sample(1, 1));
  expect_refused(folder, {"paper", "o3m", "--quick", "--out", (folder.path() / "o").string()},
                 {{{"--criteo", bad.string()}, "bad.txt:31: 3 columns"},
                  {{"--criteo", one.string()}, "one.txt: all rows have one item label"},
                  {{"--criteo", "no-such-file"}, "no-such-file: cannot read the file"},
                  {{"--criteo", bad.string(), "--criteo-scales", "1,2"}, "--criteo-scales: 13 numbers"},
                  {{"--steps", "0"}, "--steps"},
                  {{"--repeats", "0"}, "--repeats"},
                  {{"--seed", "-1"}, "--seed"}});
}

TEST(HannunPaper, PlaysDigitsBesidePrivateRunsAndWritesAReport) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  SottoProcess process(folder, {"paper", "hannun", "--quick", "--figure", "2,6", "--seeds", "3", "--attacks", "2",
                                "--out", out.string(), "--json"});
  ASSERT_EQ(process.wait(), 0) << process.err() << process.out();
  const auto found = process.json();
  EXPECT_EQ(found, nlohmann::json::parse(contents(out / "run.json")));
  EXPECT_EQ(found["status"], "complete");
  EXPECT_EQ(found["all_passed"], true);
  EXPECT_EQ(found["settings"]["data"], "digits");
  const auto& rewards = found["tables"]["rewards"];
  ASSERT_EQ(rewards.size(), 8u);
  EXPECT_GT(rewards[4]["private"], .4);
  EXPECT_EQ(rewards[0]["private"], nullptr);  // empty because of --quick
  EXPECT_GT(found["rewards"][4]["private_curve"].size(), 50u);
  bool attacked = false;
  for (const auto& row : found["tables"]["attacks"]) attacked = attacked || row["private_by_reward"].is_number();
  EXPECT_TRUE(attacked);
  EXPECT_TRUE(has(contents(out / "report.html"), "digits that come with sotto"));
  EXPECT_TRUE(folder.nothing_left());
}

TEST(HannunPaper, RefusesWhatItCannotUseInOneLine) {
  const TestFolder folder;
  expect_refused(folder, {"paper", "hannun", "--out", (folder.path() / "o").string()},
                 {{{"--mnist", "no-such-folder"}, "no-such-folder: not a folder"},
                  {{"--figure", "9"}, "--figure"},
                  {{"--seeds", "0"}, "--seeds"},
                  {{"--attacks", "0"}, "--attacks"}});
}

TEST(RobinPaper, WritesAReportOfAShortRunAndRepeatsIt) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  const auto run = [&](const char* seed) {
    SottoProcess process(folder, {"paper", "robin", "--quick", "--horizon", "254", "--seeds", "1", "--seed", seed,
                                  "--out", out.string(), "--overwrite", "--json"});
    EXPECT_EQ(process.wait(), 0) << process.err();
    auto found = process.json();
    EXPECT_EQ(found, nlohmann::json::parse(contents(out / "run.json")));
    return found;
  };
  const auto first = run("3");
  EXPECT_EQ(first["status"], "complete");
  EXPECT_EQ(first["settings"]["seeds"], 1);
  EXPECT_TRUE(has(first["verdict"], "Nothing was compared"));
  EXPECT_EQ(first["tables"], run("3")["tables"]);
  EXPECT_NE(first["tables"], run("4")["tables"]);
  EXPECT_TRUE(has(contents(out / "report.html"), "Regret against epsilon"));
}

TEST(RobinPaper, RefusesWhatItCannotUse) {
  const TestFolder folder;
  expect_refused(folder, {"paper", "robin"}, {{{"--horizon", "253"}, "--horizon"}, {{"--seeds", "0"}, "--seeds"}});
}

TEST(BatchesPaper, WritesAReportOfShortRunsAndRepeatsThem) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  const auto run = [&](const char* seed, const char* private_runs) {
    SottoProcess process(folder, {"paper", "batches", "--quick", "--events", "300", "--seeds", "2", "--seed", seed,
                                  "--private", private_runs, "--out", out.string(), "--overwrite", "--json"});
    EXPECT_EQ(process.wait(), 0) << process.err();
    auto found = process.json();
    EXPECT_EQ(found, nlohmann::json::parse(contents(out / "run.json")));
    return found;
  };
  const auto first = run("3", "1");
  EXPECT_EQ(first["status"], "complete");
  EXPECT_TRUE(has(first["verdict"], "Nothing was compared"));
  std::size_t played = 0;
  for (const auto& cell : first["cells"]) {
    EXPECT_EQ(cell["rewards"].size(), 2u);
    for (const double reward : cell["private_rewards"]) {
      ++played;
      EXPECT_GE(reward, 0);
      EXPECT_LE(reward, 1);
    }
  }
  EXPECT_GT(played, 10u);
  const auto again = run("3", "0");
  const auto other = run("4", "0");
  ASSERT_EQ(again["cells"].size(), first["cells"].size());
  for (std::size_t i = 0; i < first["cells"].size(); ++i) {
    EXPECT_EQ(again["cells"][i]["rewards"], first["cells"][i]["rewards"]);
  }
  EXPECT_NE(other["cells"][0]["rewards"], first["cells"][0]["rewards"]);
  EXPECT_TRUE(has(contents(out / "report.html"), "Reward against the size of a batch"));
  EXPECT_TRUE(has(contents(out / "batches.md"), "# What batches earn"));
  EXPECT_TRUE(folder.nothing_left());
}

// With these two seeds the twin's runs are nearly equal. The estimated error of the twin's runs is therefore too small,
// and their distance from the reference is larger than this error.
TEST(BatchesPaper, EndsWithCode1WhereAFigureIsNotAsExpected) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  for (const bool as_json : {false, true}) {
    Arguments arguments{"paper", "batches", "--quick", "--seeds", "2", "--out", out.string(), "--overwrite"};
    if (as_json) arguments.emplace_back("--json");
    SottoProcess process(folder, arguments);
    EXPECT_EQ(process.wait(), 1);
    EXPECT_TRUE(has(process.err(), "of 21 figures are within what was expected of them"));
    const auto found = nlohmann::json::parse(contents(out / "run.json"));
    EXPECT_EQ(found["status"], "complete");
    EXPECT_EQ(found["all_passed"], false);
    EXPECT_TRUE(has(contents(out / "batches.md"), "| no |"));
    if (as_json) {
      EXPECT_EQ(process.json()["tables"], found["tables"]);
      EXPECT_EQ(process.json()["exit_code"], 1);
    } else {
      EXPECT_TRUE(has(process.out(), "Beside the reference"));
      EXPECT_TRUE(has(process.out(), (out / "report.html").string()));
    }
  }
}

TEST(BatchesPaper, RefusesWhatItCannotUse) {
  const TestFolder folder;
  expect_refused(folder, {"paper", "batches"},
                 {{{"--seeds", "1"}, "--seeds"},
                  {{"--events", "0"}, "--events"},
                  {{"--private", "-1"}, "--private"},
                  {{"--mnist", "no-such-folder"}, "no-such-folder"}});
}

nlohmann::json run_json(const TestFolder& folder, const Arguments& arguments) {
  SottoProcess process(folder, joined(joined({"simulate"}, arguments), {"--json"}));
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.json();
}

TEST(P2bSimulate, WritesAReportOfASyntheticRun) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  const auto printed = run_json(folder, {"synthetic", "--users", "200,400", "--dim", "4", "--codes", "16", "--context",
                                         "one-hot,centroid", "--repeats", "2", "--seed", "3", "--out", out.string()});
  const auto found = nlohmann::json::parse(contents(out / "run.json"));
  EXPECT_EQ(printed, found);
  EXPECT_EQ(found["status"], "complete");
  EXPECT_EQ(found["users"], 400);
  EXPECT_EQ(found["points"].size(), 2u);
  EXPECT_NEAR(found["epsilon"], std::log(2), 1e-9);
  EXPECT_EQ(found["tuple_choice"], "uniform");
  EXPECT_EQ(found["insecure"], nlohmann::json::array());
  EXPECT_TRUE(has(contents(out / "report.html"), "P2B, centroid, k = 16"));
}

TEST(P2bSimulate, PlaysFilesOfUsersAndSaysWhereTheReportIs) {
  const TestFolder folder;
  std::string text = "user,t,x,y,reward_0,reward_1\n";
  for (int u = 0; u < 60; ++u) text += fmt::format("{},0,{},1,{},0\n", u, u % 3, u % 2);
  const auto users = folder.write("users.csv", text + "60,0,-1,1,2,0\n");
  const fs::path out = folder.path() / "out";
  SottoProcess process(folder,
                       {"simulate", "--users", users.string(), "--tuple-choice", "published", "--out", out.string()});
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "61 users, 2 features, 2 arms"));
  EXPECT_TRUE(has(process.out(), (out / "report.html").string()));
  EXPECT_TRUE(has(process.out(), "choose the reported tuple by its reward"));
  EXPECT_TRUE(has(process.out(), "1 reward outside the bounds was clipped"));
  EXPECT_TRUE(has(process.out(), "1 feature outside the bounds was clipped"));
}

TEST(P2bSimulate, ReadsMultiLabelDataAndTheCriteoLog) {
  const TestFolder folder;
  const apps::lab::MultiLabelSample sample = apps::lab::multi_label_sample(400, 10, 6, 1);
  const auto arff = folder.write("data.arff", sample.arff());
  const auto multi = run_json(
      folder, {"multilabel", "--data", arff.string(), "--dim", "6", "--arms", "5", "--steps", "10", "--repeats", "1"});
  EXPECT_EQ(multi["users"], 40);
  EXPECT_EQ(multi["data"]["rows"], 400);
  const auto log = folder.write("log.txt", apps::lab::criteo_sample(3000, 1));
  const auto criteo = run_json(
      folder, {"criteo", "--data", log.string(), "--arms", "8", "--steps", "20", "--repeats", "1", "--dim", "5"});
  EXPECT_EQ(criteo["data"]["rows"], 3000);
  EXPECT_LT(criteo["points"][0]["interactions"], criteo["points"][0]["events"]);
}

TEST(P2bSimulate, RefusesWhatItCannotUseInOneLine) {
  const TestFolder folder;
  const auto twice = folder.write("twice.csv", "user,t,a,reward_0,reward_1\n0,1,0,0,0\n1,1,0,0,0\n0,1,0,0,0\n");
  const auto svm = folder.write("bad.svm", "1 1:1\n1 x\n");
  expect_refused(folder, {"simulate"},
                 {
                     {{}, "say what to play"},
                     {{"--users", "none.csv"}, "none.csv: cannot read"},
                     {{"--users", twice.string()}, "twice.csv:4:2: this user has had a row of that t"},
                     {{"--users", twice.string(), "synthetic", "--users", "20"}, "--users is no option of 'synthetic'"},
                     {{"multilabel", "--data", svm.string()}, "bad.svm:2:2: not a feature"},
                     {{"synthetic", "--users", "100", "--p", "1"}, "--p: "},
                     {{"synthetic", "--users", "100", "--threshold", "0"}, "--threshold: "},
                     {{"synthetic", "--users", "100", "--early", "1"}, "--early: "},
                     {{"synthetic", "--users", "100", "--codes", "33"}, "--codes: "},
                     {{"synthetic", "--users", "100", "--tuple-choice", "best"}, "--tuple-choice: "},
                     {{"synthetic", "--dim", "4"}, "--users"},
                 });
}

}  // namespace
}  // namespace sotto::testing
