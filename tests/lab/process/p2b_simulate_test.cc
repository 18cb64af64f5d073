// `sotto-lab simulate` as a user runs it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/apps/kit/data/criteo_sample.h"
#include "tests/apps/kit/data/multi_label_sample.h"
#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

nlohmann::json run_json(const TestFolder& folder, std::vector<std::string> arguments) {
  std::vector<std::string> command{"simulate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.push_back("--json");
  SottoProcess process(folder, command);
  EXPECT_EQ(process.wait(), 0) << process.err();
  return process.json();
}

TEST(P2bSimulate, WritesAReportOfASyntheticRun) {
  const TestFolder folder;
  const fs::path out = folder.path() / "out";
  const auto printed = run_json(
      folder, {"synthetic", "--users", "200,400", "--dim", "4", "--codes", "16", "--context",
               "one-hot,centroid", "--repeats", "2", "--seed", "3", "--out", out.string()});
  const auto json = nlohmann::json::parse(contents(out / "run.json"));
  EXPECT_EQ(printed, json);
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(json["users"], 400);
  EXPECT_EQ(json["points"].size(), 2u);
  EXPECT_NEAR(json["epsilon"], std::log(2), 1e-9);
  EXPECT_EQ(json["tuple_choice"], "uniform");
  EXPECT_EQ(json["insecure"], nlohmann::json::array());
  EXPECT_TRUE(has(contents(out / "report.html"), "P2B, centroid, k = 16"));
}

TEST(P2bSimulate, PlaysFilesOfUsersAndSaysWhereTheReportIs) {
  const TestFolder folder;
  std::string text = "user,t,x,y,reward_0,reward_1\n";
  for (int u = 0; u < 60; ++u) text += fmt::format("{},0,{},1,{},0\n", u, u % 3, u % 2);
  const auto users = folder.write("users.csv", text + "60,0,-1,1,2,0\n");
  const fs::path out = folder.path() / "out";
  SottoProcess process(folder, {"simulate", "--users", users.string(), "--tuple-choice",
                                "published", "--out", out.string()});
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.out(), "61 users, 2 features, 2 arms"));
  EXPECT_TRUE(has(process.out(), (out / "report.html").string()));
  EXPECT_TRUE(has(process.out(), "choose the reported tuple by its reward"));
  EXPECT_TRUE(has(process.out(), "1 reward outside the bounds was clipped"));
  EXPECT_TRUE(has(process.out(), "1 feature outside the bounds was clipped"));
}

TEST(P2bSimulate, ReadsMultiLabelDataAndTheCriteoLog) {
  const TestFolder folder;
  const apps::MultiLabelSample sample = apps::multi_label_sample(400, 10, 6, 1);
  const auto arff = folder.write("data.arff", sample.arff());
  const auto multi = run_json(folder, {"multilabel", "--data", arff.string(), "--dim", "6",
                                       "--arms", "5", "--steps", "10", "--repeats", "1"});
  EXPECT_EQ(multi["users"], 40);
  EXPECT_EQ(multi["data"]["rows"], 400);
  const auto log = folder.write("log.txt", apps::criteo_sample(3000, 1));
  const auto criteo = run_json(folder, {"criteo", "--data", log.string(), "--arms", "8", "--steps",
                                        "20", "--repeats", "1", "--dim", "5"});
  EXPECT_EQ(criteo["data"]["rows"], 3000);
  EXPECT_LT(criteo["points"][0]["interactions"], criteo["points"][0]["events"]);
}

TEST(P2bSimulate, DoesTheSameOnOneThreadAndOnMany) {
  const TestFolder folder;
  const auto points = [&](const std::string& threads) {
    return run_json(folder, {"synthetic", "--users", "900", "--dim", "4", "--codes", "16",
                             "--repeats", "1", "--threads", threads})["points"];
  };
  EXPECT_EQ(points("1"), points("4"));
}

TEST(P2bSimulate, RefusesWhatItCannotUseInOneLine) {
  const TestFolder folder;
  const auto twice =
      folder.write("twice.csv", "user,t,a,reward_0,reward_1\n0,1,0,0,0\n1,1,0,0,0\n0,1,0,0,0\n");
  const auto svm = folder.write("bad.svm", "1 1:1\n1 x\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "say what to play"},
      {{"--users", "none.csv"}, "none.csv: cannot read"},
      {{"--users", twice.string()}, "twice.csv:4:2: this user has had a row of that t"},
      {{"--users", twice.string(), "synthetic", "--users", "20"}, "an experiment of its own"},
      {{"multilabel", "--data", svm.string()}, "bad.svm:2:2: not a feature"},
      {{"synthetic", "--users", "100", "--p", "1"}, "--p: "},
      {{"synthetic", "--users", "100", "--threshold", "0"}, "--threshold: "},
      {{"synthetic", "--users", "100", "--early", "1"}, "--early: "},
      {{"synthetic", "--users", "100", "--codes", "33"}, "--codes: "},
      {{"synthetic", "--users", "100", "--tuple-choice", "best"}, "--tuple-choice: "},
      {{"synthetic", "--dim", "4"}, "--users"},
  };
  for (const auto& [arguments, message] : wrong) {
    std::vector<std::string> command{"simulate"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back("--json");
    SottoProcess process(folder, command);
    EXPECT_EQ(process.wait(), 2) << message;
    const std::string said = process.err();
    EXPECT_TRUE(has(said, message)) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

}  // namespace
}  // namespace sotto::testing
