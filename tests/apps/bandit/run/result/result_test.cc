#include "apps/bandit/run/result/result.h"

#include "apps/kit/files/json.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/report/publish.h"
#include "tests/apps/bandit/run/result/results.h"

namespace sotto::apps::bandit::run {
namespace {

TEST(ResultJson, HasEveryFieldOfACompleteRun) {
  const nlohmann::json object = to_json(small_result());
  for (const std::string& name :
       split("status steps arms features parties epsilon eta_per_action eta_composed average_reward reward_curve "
             "plaintext_average_reward plaintext_curve rounds_per_step bytes_per_step dealt_bytes_per_step "
             "online_seconds dealer_seconds seconds_per_step phases step_rounds roles views version command max_norm "
             "fraction_bits comparison_bits reward_bits repeats insecure",
             ' ')) {
    EXPECT_TRUE(object.contains(name)) << name;
  }
  EXPECT_EQ(object["status"], "complete");
  EXPECT_EQ(object["rounds_per_step"], 7);
  EXPECT_NEAR(object["eta_per_action"]["exact"].get<double>(), 4.51, .005);
  EXPECT_NEAR(object["eta_per_action"]["paper"].get<double>(), 4.61, .005);
  EXPECT_DOUBLE_EQ(object["eta_composed"]["basic"].get<double>(), 2 * object["eta_per_action"]["exact"].get<double>());
  EXPECT_EQ(object["eta_composed"]["delta"], 1e-6);
  EXPECT_EQ(object["eta_composed"]["bound"], "finite");
  EXPECT_EQ(object["reward_curve"][1], (nlohmann::json{{"step", 2}, {"average_reward", .5}}));
  EXPECT_EQ(object["inputs"][1]["features"], 1);
  EXPECT_EQ(object["step_rounds"][0]["labels"][1], "W b");
  EXPECT_FALSE(object["step_rounds"][0].contains("seconds"));
  EXPECT_EQ(object["phases"][1]["dealt_bytes"], 160'000);
  EXPECT_EQ(object["roles"][1],
            (nlohmann::json{{"role", "dealer"}, {"cpu_seconds", .125}, {"peak_memory_bytes", 6'000'000}}));
  for (const char* name : {"error", "weights", "inverse_matrices", "compare_plaintext", "runs", "average_reward_sd"}) {
    EXPECT_FALSE(object.contains(name)) << name;
  }
}

TEST(ResultJson, SaysUnboundedAtEpsilonZero) {
  BanditResult result = small_result();
  make_unbounded(result);
  const nlohmann::json object = to_json(result);
  EXPECT_TRUE(object["eta_per_action"]["exact"].is_null());
  EXPECT_TRUE(object["eta_per_action"]["paper"].is_null());
  EXPECT_TRUE(object["eta_composed"]["basic"].is_null());
  EXPECT_TRUE(object["eta_composed"]["optimal"].is_null());
  EXPECT_EQ(object["eta_composed"]["bound"], "unbounded");
}

TEST(ResultJson, AFailedRunClaimsNoFigures) {
  BanditResult result;
  make_failed(result, "party 1: connection lost in round 7");
  const nlohmann::json object = to_json(result);
  EXPECT_EQ(object["status"], "failed");
  EXPECT_EQ(object["error"], "party 1: connection lost in round 7");
  EXPECT_TRUE(object["average_reward"].is_null());
  EXPECT_TRUE(object["reward_curve"].empty());
}

TEST(ResultJson, HoldsTheRevealedModelAndTheComparison) {
  BanditResult result = small_result();
  result.weights = Matrix{{.5, 0, 0}};
  result.inverse_matrices = std::vector<Matrix>{{{1, 0}, {0, 1}}};
  result.compare_plaintext = small_comparison();
  const nlohmann::json object = to_json(result);
  EXPECT_EQ(object["weights"][0][0], .5);
  EXPECT_EQ(object["inverse_matrices"][0][1][1], 1);
  EXPECT_EQ(object["compare_plaintext"]["agreement"], 1);
  EXPECT_TRUE(object["compare_plaintext"]["largest_weight_difference"].is_null());
}

TEST(AverageResults, GivesMeanAndSampleDeviationOfEachScalar) {
  BanditResult one = small_result();
  BanditResult two = small_result();
  two.average_reward = .7;
  two.reward_curve[1].average_reward = .7;
  two.online_seconds = .35;
  two.phases[1].seconds = .35;
  two.plaintext_average_reward.reset();
  two.roles[0].cpu_seconds = .75;
  two.roles[0].peak_memory_bytes = 9'000'000;
  one.weights = Matrix{{1}};
  two.weights = Matrix{{2}};
  const nlohmann::json object = to_json(average(std::vector{one, two}));
  EXPECT_EQ(object["repeats"], 2);
  EXPECT_DOUBLE_EQ(object["average_reward"].get<double>(), .6);
  EXPECT_NEAR(object["average_reward_sd"].get<double>(), .2 / std::sqrt(2), 1e-12);
  EXPECT_DOUBLE_EQ(object["online_seconds"].get<double>(), .3);
  EXPECT_EQ(object["rounds_per_step_sd"], 0);
  EXPECT_EQ(object["plaintext_average_reward"], 1);
  EXPECT_DOUBLE_EQ(object["reward_curve"][1]["average_reward"].get<double>(), .6);
  EXPECT_EQ(object["roles"][0]["cpu_seconds"], .5);
  EXPECT_EQ(object["roles"][0]["peak_memory_bytes"], 9'000'000);
  EXPECT_EQ(object["roles"][1]["peak_memory_bytes"], 6'000'000);
  EXPECT_TRUE(object["reward_curve"][1].contains("average_reward_sd"));
  EXPECT_DOUBLE_EQ(object["phases"][1]["seconds"].get<double>(), .3);
  EXPECT_EQ(object["runs"].size(), 2u);
  EXPECT_EQ(object["runs"][1]["average_reward"], .7);
  EXPECT_EQ(object["weights"][0][0], 1);
}

TEST(ResultJson, SaysWhichLinksWereEmulated) {
  BanditResult result;
  EXPECT_FALSE(to_json(result).contains("link"));
  result.link = net::LinkConditions{std::chrono::milliseconds(20), {}, 0};
  EXPECT_EQ(to_json(result).at("link").at("delay_seconds"), 0.02);
  EXPECT_TRUE(to_json(result).at("link").at("emulated").get<bool>());
  EXPECT_TRUE(to_json(result).at("link").at("bits_per_second").is_null());
  EXPECT_FALSE(to_json(result).at("link").contains("model"));
  result.link_model = LinkModel{1, .5, .25, .25, 4};
  BanditResult other = result;
  other.link_model->measured = 6;
  const nlohmann::json model = to_json(average(std::vector{result, other})).at("link").at("model");
  EXPECT_EQ(model.at("seconds_per_step"), 2.0);
  EXPECT_EQ(model.at("measured_seconds_per_step"), 5.0);
  EXPECT_NEAR(model.at("error_percent").get<double>(), -60, 1e-9);
}

TEST(ResultJson, HasTheWidthsAndTheFiguresOfBatches) {
  BanditResult result = small_result();
  const nlohmann::json single = to_json(result);
  EXPECT_EQ(single.at("batch"), 1);
  EXPECT_EQ(single.at("reward_lag"), 0);
  EXPECT_FALSE(single.contains("batches"));
  EXPECT_EQ(single.at("sent_bytes_per_event"), single.at("bytes_per_step"));
  EXPECT_FALSE(single.at("step_rounds").at(0).contains("phase"));
  make_batches(result);
  const nlohmann::json object = to_json(result);
  EXPECT_EQ(object.at("batch"), 256);
  EXPECT_EQ(object.at("reward_lag"), 1000);
  EXPECT_EQ(object.at("batches").at("learn_rounds"), 13);
  EXPECT_EQ(object.at("batches").at("weight_bits"), 20);
  EXPECT_EQ(object.at("batches").at("table_bits"), 12);
  EXPECT_EQ(object.at("events_per_second"), 12'345);
  EXPECT_EQ(object.at("dealer_seconds_per_event"), 35e-6);
  EXPECT_EQ(object.at("step_rounds").at(0).at("phase"), "decide");
}

TEST(AverageResults, OneFailureFailsAll) {
  BanditResult failed;
  make_failed(failed, "dealer: lost");
  const BanditResult result = average(std::vector{small_result(), failed});
  EXPECT_EQ(result.status, RunStatus::failed);
  EXPECT_EQ(*result.error, "dealer: lost");
  EXPECT_THROW(average({}), std::invalid_argument);
}

TEST(ResultJson, NamesWhoMadeTheRandomness) {
  EXPECT_EQ(to_json(small_result()).at("preprocessing"), "dealer");
  const nlohmann::json object = to_json(make_dealerless(small_result()));
  EXPECT_EQ(object.at("preprocessing"), "replicated");
  EXPECT_EQ(object.at("randomness").at(0).at("read_by").at(1), (nlohmann::json{"party 0", "party 2"}));
  EXPECT_EQ(object.at("preprocessing_bytes_per_step"), 70'000);
  EXPECT_TRUE(object.at("dealer_seconds").is_null());
  EXPECT_THAT(summary_text(make_dealerless(small_result())), Not(HasSubstr("dealer")));
}

TEST(WriteRun, MakesTheFolderAndTwoFiles) {
  const TestFolder folder;
  const fs::path run = folder.path() / "a" / "b";
  BanditResult result;
  result.steps = 12;
  write_run(run, result);
  EXPECT_EQ(nlohmann::json::parse(slurp(run / "run.json"))["steps"], 12);
  EXPECT_THAT(slurp(run / "report.html"), StartsWith("<!doctype html>"));
  EXPECT_EQ(std::distance(fs::directory_iterator(run), {}), 2);
  // Names of files may be invalid UTF-8.
  result.command = "sotto bandit --party \xff.csv";
  write_run(run, result);
  EXPECT_TRUE(nlohmann::json::accept(slurp(run / "run.json")));
}

TEST(WriteRun, SaysWhichFolderCannotBeMade) {
  const TestFolder folder;
  const fs::path file = folder.put("file", "x");
  for (const auto& path : {file, file / "below"}) {
    EXPECT_THAT(error_of<ResourceError>([&] { write_run(path, BanditResult{}); }), HasSubstr(path.string()));
  }
}

TEST(DefaultRunDirectory, HasTimeAndId) {
  const std::string path = default_run_directory().string();
  EXPECT_THAT(path, ::testing::MatchesRegex("sotto-runs/[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}"));
}

}  // namespace
}  // namespace sotto::apps::bandit::run
