#include "sotto/apps/o3m/result.h"

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/publish.h"
#include "sotto/apps/o3m/leakage.h"
#include "tests/apps/kit/data/test_files.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

O3mResult sample() {
  O3mResult result;
  result.version = "1.2.3";
  result.command = "sotto o3m --ap <x>.csv";
  result.parameters.steps = 3;
  result.parameters.arms = 2;
  result.parameters.columns = {4, 5, 6};
  result.parameters.bounds = {1, 1, 2};
  result.inputs = {{"active participant", "<x>.csv", 4, 1},
                   {"passive participant 1", "b.csv", 5, 1},
                   {"passive participant 2", "c.csv", 6, 2}};
  result.environment = "env.csv";
  result.arms = {0, 1, 1};
  result.rewards = {1, 0.5, 0.25};
  result.average_reward = 1.75 / 3;
  result.uniform_average_reward = 0.25;
  result.reward_curve = {{1, 1, {}}, {2, 0.75, {}}, {3, 1.75 / 3, {}}};
  result.cumulative_regret = 2.5;
  result.uniform_regret = 6;
  result.regret_curve = {{1, 0.5}, {2, 1}, {3, 2.5}};
  result.central = CentralComparison{true, std::nullopt, 4.44089e-15, 2e-6, 1.75 / 3};
  result.seconds_per_step = 1e-6;
  result.end_to_end_seconds_per_step = 3e-6;
  result.bytes_per_step = 480;
  result.roles = {{"active participant", 0.5, 1000, 10}};
  return result;
}

TEST(O3mResult, JsonHoldsEverything) {
  const auto json = to_json(sample());
  EXPECT_EQ(json.at("status"), "complete");
  EXPECT_EQ(json.at("algorithm"), "ucb");
  EXPECT_EQ(json.at("steps"), 3);
  EXPECT_EQ(json.at("arm_count"), 2);
  EXPECT_EQ(json.at("dimension"), 15);
  EXPECT_EQ(json.at("mask_generator"), "third-party");
  EXPECT_EQ(json.at("arms"), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(json.at("rewards"), (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(json.at("average_reward"), 1.75 / 3);
  EXPECT_EQ(json.at("cumulative_regret"), 2.5);
  EXPECT_EQ(json.at("regret_curve").at(2).at("cumulative_regret"), 2.5);
  EXPECT_EQ(json.at("max_score_difference"), 4.44089e-15);
  EXPECT_EQ(json.at("arms_equal"), true);
  EXPECT_EQ(json.at("seconds_per_step"), 1e-6);
  EXPECT_EQ(json.at("central_seconds_per_step"), 2e-6);
  EXPECT_EQ(json.at("bytes_per_step"), 480);
  EXPECT_EQ(json.at("leakage"), leakage(sample().parameters));
  EXPECT_EQ(json.at("secure_summation"), true);
  EXPECT_FALSE(json.contains("first_difference"));
}

TEST(O3mResult, WhatWasNotMeasuredIsNull) {
  O3mResult result = sample();
  result.central.reset();
  result.cumulative_regret.reset();
  result.regret_curve.clear();
  result.parameters.mask_generator = 2;
  const auto json = to_json(result);
  EXPECT_TRUE(json.at("arms_equal").is_null());
  EXPECT_TRUE(json.at("max_score_difference").is_null());
  EXPECT_TRUE(json.at("central_seconds_per_step").is_null());
  EXPECT_TRUE(json.at("cumulative_regret").is_null());
  EXPECT_FALSE(json.contains("regret_curve"));
  EXPECT_EQ(json.at("mask_generator"), 2);
}

TEST(O3mResult, ThePageIsSelfContainedAndEscaped) {
  const std::string page = report_html(sample());
  EXPECT_THAT(page, HasSubstr("&lt;x&gt;.csv"));
  EXPECT_THAT(page, Not(HasSubstr("<x>")));
  for (const char* loads : {"<script", "src=", "<link", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(loads)));
  }
  EXPECT_THAT(page, HasSubstr("What each role can learn"));
  EXPECT_THAT(page, HasSubstr("What it missed"));
  EXPECT_THAT(page, HasSubstr("4.4 &middot; 10<sup>&minus;15</sup>"));
  EXPECT_THAT(page, HasSubstr("This is no encryption"));
}

TEST(O3mResult, InsecureAndFailedRunsAreStamped) {
  O3mResult result = sample();
  result.insecure = {"insecure-blocks"};
  EXPECT_THAT(report_html(result), HasSubstr("Insecure run: insecure-blocks"));
  EXPECT_THAT(summary_text(result, {}), HasSubstr("INSECURE: insecure-blocks."));
  result.status = RunStatus::failed;
  result.error = "a <peer> was lost";
  EXPECT_THAT(report_html(result), HasSubstr("a &lt;peer&gt; was lost"));
  EXPECT_THAT(report_html(result), Not(HasSubstr("What it earned")));
  EXPECT_THAT(summary_text(result, {}), HasSubstr("failed: a <peer> was lost"));
  EXPECT_EQ(to_json(result).at("error"), "a <peer> was lost");
}

TEST(O3mResult, ArmFeaturesThatAllKnowAreToldAsLeakage) {
  O3mResult result = sample();
  result.arms_file = "arms.csv";
  result.combine = "concatenate";
  EXPECT_EQ(leakage_of_arm_features(result), "");
  EXPECT_EQ(to_json(result).at("leakage"), leakage(result.parameters));
  result.combine = "sum";
  const std::string words = leakage_of_arm_features(result);
  EXPECT_THAT(words, HasSubstr("difference of two arms"));
  EXPECT_EQ(to_json(result).at("leakage").at("active participant").back(), words);
  EXPECT_THAT(report_html(result), HasSubstr(words));
}

TEST(O3mResult, TheSummarySaysWhatItLeaks) {
  const std::string text = summary_text(sample(), {});
  EXPECT_THAT(text, HasSubstr(leakage_headline()));
  EXPECT_THAT(text, HasSubstr("same arms"));
  EXPECT_THAT(text, HasSubstr("3 steps of LinUCB, 3 participants, 15 features, 2 arms"));
}

TEST(O3mResult, IsWrittenAsFiles) {
  const TestFolder folder;
  const O3mResult result = sample();
  write_run(folder.path() / "run", result);
  EXPECT_EQ(nlohmann::ordered_json::parse(slurp(folder.path() / "run" / "run.json")), to_json(result));
  EXPECT_EQ(slurp(folder.path() / "run" / "report.html"), report_html(result));
}

}  // namespace
}  // namespace sotto::apps
