// `sotto robin aggregate` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using Words = std::vector<std::string>;

Words command(const Words& more) {
  Words words{"robin", "aggregate", "--bound", "1", "--tau", "0.05"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Round (0.3, -0.2, 0.5), at most 0.02 away in each number.
std::string some_estimates(int clients) {
  std::string text;
  for (int i = 0; i < clients; ++i) {
    for (const double centre : {0.3, -0.2, 0.5}) {
      const double x = centre + 0.02 * std::sin(i * 7.3 + centre * 100);
      text += std::to_string(x) + (centre == 0.5 ? "\n" : ",");
    }
  }
  return text;
}

TEST(RobinAggregate, PrintsMeanRangesNoiseAndWhatWasSpent) {
  const TestFolder folder;
  (void)folder.write("estimates.csv", some_estimates(2000));
  SottoProcess process(folder, command({"--estimates", "estimates.csv", "--eps", "1", "--delta", "1e-5", "--json"}));
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto json = process.json();
  ASSERT_EQ(json["mean"].size(), 3U);
  EXPECT_NEAR(json["mean"][0], 0.3, 0.02);
  EXPECT_NEAR(json["mean"][1], -0.2, 0.02);
  EXPECT_NEAR(json["mean"][2], 0.5, 0.02);
  ASSERT_EQ(json["ranges"].size(), 4U);  // padded
  for (const auto& range : json["ranges"]) {
    EXPECT_NEAR(range[1].get<double>() - range[0].get<double>(), 0.2, 1e-9);
  }
  // 4 tau / sqrt(rho of a coordinate) / n, rho of the whole being 0.03056.
  EXPECT_NEAR(json["noise_scale"], 0.2 / std::sqrt(0.0305566 / 4) / 2000, 1e-7);
  EXPECT_EQ(json["noise"], "gaussian");
  EXPECT_EQ(json["composition"], "zcdp");
  EXPECT_NEAR(json["eps_spent"], 1, 1e-9);
  EXPECT_LE(json["eps_spent"], 1);
  EXPECT_EQ(json["delta_spent"], 1e-5);
  EXPECT_EQ(json["clipped"], 0);
  EXPECT_FALSE(json.contains("insecure_seed"));
  EXPECT_EQ(json["insecure"], nlohmann::json::array());
}

TEST(RobinAggregate, TakesAHeaderAndShowsASummary) {
  const TestFolder folder;
  (void)folder.write("plain.csv", some_estimates(500));
  (void)folder.write("header.csv", "a,b,c\n" + some_estimates(500));
  Words arguments{"--estimates", "plain.csv", "--insecure-seed", "7"};
  SottoProcess plain(folder, command(arguments));
  ASSERT_EQ(plain.wait(), 0) << plain.err();
  arguments[1] = "header.csv";
  SottoProcess header(folder, command(arguments));
  ASSERT_EQ(header.wait(), 0) << header.err();
  EXPECT_EQ(plain.out(), header.out());
  EXPECT_TRUE(has(plain.out(), "Private mean of 500 estimates of 3 numbers")) << plain.out();
  EXPECT_TRUE(has(plain.out(), "nothing is private")) << plain.out();
  arguments.emplace_back("--json");
  SottoProcess as_json(folder, command(arguments));
  ASSERT_EQ(as_json.wait(), 0) << as_json.err();
  EXPECT_EQ(as_json.json()["insecure"], nlohmann::json::array({"insecure-seed"}));
}

TEST(RobinAggregate, DrawsFreshNoise) {
  const TestFolder folder;
  (void)folder.write("estimates.csv", some_estimates(500));
  const Words arguments{"--estimates", "estimates.csv", "--json"};
  SottoProcess one(folder, command(arguments));
  SottoProcess other(folder, command(arguments));
  ASSERT_EQ(one.wait(), 0) << one.err();
  ASSERT_EQ(other.wait(), 0) << other.err();
  EXPECT_NE(one.json()["mean"], other.json()["mean"]);
}

TEST(RobinAggregate, PicksTheBetterAccount) {
  const TestFolder folder;
  (void)folder.write("one.csv", "0.1\n0.11\n0.12\n0.1\n");
  SottoProcess one(folder, command({"--estimates", "one.csv", "--json"}));
  ASSERT_EQ(one.wait(), 0) << one.err();
  const auto json = one.json();
  EXPECT_EQ(json["composition"], "basic");  // a single number: no delta is needed
  EXPECT_EQ(json["noise"], "laplace");
  EXPECT_EQ(json["delta_spent"], 0);
  SottoProcess nested(folder, command({"--estimates", "one.csv", "--json", "--composition", "nested"}));
  ASSERT_EQ(nested.wait(), 0) << nested.err();
  EXPECT_EQ(nested.json()["composition"], "nested");
}

TEST(RobinAggregate, ClipsRoundTheLastRelease) {
  const TestFolder folder;
  (void)folder.write("estimates.csv", some_estimates(2000));
  (void)folder.write("last.csv", "0.29,-0.21,0.51\n");
  SottoProcess process(folder, command({"--estimates", "estimates.csv", "--around", "last.csv", "--json"}));
  ASSERT_EQ(process.wait(), 0) << process.err();
  const auto json = process.json();
  EXPECT_EQ(json["range"], "around");
  EXPECT_EQ(json["misfire_chance"], 0);
  EXPECT_NEAR(json["mean"][2], 0.5, 0.02);
}

TEST(RobinAggregate, WarnsWhereRangesMisfire) {
  const TestFolder folder;
  (void)folder.write("estimates.csv", some_estimates(20));
  SottoProcess process(folder, command({"--estimates", "estimates.csv", "--eps", "0.1"}));
  ASSERT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(has(process.err(), "too few estimates for this epsilon")) << process.err();
  EXPECT_FALSE(has(process.out(), "too few")) << process.out();
}

TEST(RobinAggregate, WarnsInOneLineWhereTheMeanIsWorthNothing) {
  const TestFolder folder;
  (void)folder.write("estimates.csv", some_estimates(20));
  const auto said = [&](const Words& more) {
    Words words{"robin", "aggregate", "--estimates", "estimates.csv", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    SottoProcess process(folder, words);
    EXPECT_EQ(process.wait(), 0) << process.err();
    EXPECT_TRUE(process.json().contains("mean"));
    return process.err();
  };
  EXPECT_EQ(said({"--bound", "1", "--tau", "0.05", "--eps", "1000"}), "");
  for (const auto& [words, what] : std::vector<std::pair<Words, std::string>>{
           {{"--bound", "1", "--tau", "0.05", "--eps", "0.1"}, "too few estimates"},
           {{"--bound", "0.1", "--tau", "0.05", "--eps", "1000"}, "more than half"},
           {{"--bound", "1", "--tau", "1", "--eps", "0.01"}, "is larger than --bound 1"},
       }) {
    const std::string error = said(words);
    EXPECT_TRUE(has(error, what)) << error;
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  }
}

TEST(RobinAggregate, RefusesInOneLine) {
  const TestFolder folder;
  (void)folder.write("good.csv", "0.1,0.2\n0.3,0.4\n");
  (void)folder.write("one.csv", "0.1,0.2\n");
  (void)folder.write("uneven.csv", "0.1,0.2\n0.3\n");
  (void)folder.write("nan.csv", "0.1,0.2\n0.3,nan\n");
  (void)folder.write("word.csv", "0.1,0.2\n0.3,x\n");
  const std::vector<std::pair<Words, std::string>> cases{
      {{"--estimates", "one.csv"}, "one.csv: one estimate only"},
      {{"--estimates", "uneven.csv"}, "uneven.csv:2: 1 cell, but the first line has 2"},
      {{"--estimates", "nan.csv"}, "nan.csv:2:2: not a finite number"},
      {{"--estimates", "word.csv"}, "word.csv:2:2: not a number"},
      {{"--estimates", "none.csv"}, "none.csv"},
      {{"--estimates", "good.csv", "--eps", "0"}, "--eps: 0 is not"},
      {{"--estimates", "good.csv", "--eps", "-1"}, "--eps: -1 is not"},
      {{"--estimates", "good.csv", "--eps", "nan"}, "--eps: 'nan' is not"},
      {{"--estimates", "good.csv", "--eps", "1e308"}, "--eps: 1e+308 is above"},
      {{"--estimates", "good.csv", "--delta", "0"}, "--delta: 0 is not between"},
      {{"--estimates", "good.csv", "--delta", "1"}, "--delta: 1 is not between"},
      {{"--estimates", "good.csv", "--composition", "rdp"}, "--composition: 'rdp'"},
      {{"--estimates", "good.csv", "--noise", "uniform"}, "--noise: 'uniform'"},
      {{"--estimates", "good.csv", "--composition", "nested", "--noise", "gaussian"}, "--noise: "},
      {{"--estimates", "good.csv", "--around", "good.csv"}, "good.csv: 2 rows of 2 numbers"},
      {{}, "--estimates"},
  };
  for (const auto& [arguments, message] : cases) {
    SottoProcess process(folder, command(arguments));
    EXPECT_EQ(process.wait(), 2) << message;
    EXPECT_EQ(process.out(), "") << message;
    EXPECT_TRUE(has(process.err(), message)) << process.err();
    const std::string error = process.err();
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  }
  for (const std::string tau : {"0", "-1", "inf", "1e-9"}) {
    SottoProcess process(folder, {"robin", "aggregate", "--estimates", "good.csv", "--bound", "1", "--tau", tau});
    EXPECT_EQ(process.wait(), 2) << tau;
    EXPECT_TRUE(has(process.err(), "--tau: ")) << process.err();
  }
}

}  // namespace
}  // namespace sotto::testing
