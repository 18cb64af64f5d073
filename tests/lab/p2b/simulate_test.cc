#include "bench/lab/p2b/simulate.h"

#include "apps/kit/files/json.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/support.h"
#include "tests/lab/data/samples.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

const Runner runner([](const std::string&) {}, not_interrupted);

SimulateSettings small_settings() {
  return SimulateSettings{.threshold = 3,
                          .centroids = {},
                          .variants = {{ContextKind::one_hot, 0}, {ContextKind::centroid, 0}},
                          .repeats = 2,
                          .threads = 1};
}

Experiment small_run(const SimulateSettings& settings) {
  SyntheticExperiment experiment;
  experiment.world.dimension = 4;
  experiment.world.arms = 3;
  experiment.world.steps = 3;
  experiment.users = {60, 200};
  return simulated(simulate(experiment, settings, runner));
}

TEST(Simulate, WritesDownWhatItPlayed) {
  const Experiment result = small_run(small_settings());
  const auto json = to_json(result);
  EXPECT_EQ(json["experiment"], "p2b simulate synthetic");
  EXPECT_EQ(json["status"], "complete");
  EXPECT_EQ(json["users"], 200);
  EXPECT_EQ(json["early_users"], 140);
  EXPECT_EQ(json["codes"], 32);
  EXPECT_EQ(json["context"], "centroid");
  EXPECT_NEAR(json["epsilon"], std::log(2), 1e-12);
  EXPECT_GT(json["delta"], 0);
  EXPECT_LT(json["delta"], 1);
  for (const char* key : {"reward_cold", "reward_warm_nonprivate", "reward_p2b"}) {
    EXPECT_GE(json[key], 0) << key;
    EXPECT_LE(json[key], 1) << key;
  }
  EXPECT_EQ(json["tuples_received"].get<int>(), json["tuples_kept"].get<int>() + json["tuples_dropped"].get<int>());
  EXPECT_TRUE(json.contains("codes_dropped") && json.contains("seconds"));
  EXPECT_EQ(json["points"].size(), 2u);
  EXPECT_EQ(json["points"][0]["p2b"].size(), 2u);
  EXPECT_EQ(json["points"][1]["cold"]["repeats"].size(), 2u);
  EXPECT_EQ(json["settings"]["states"], "286");
  EXPECT_TRUE(json["stamps"].empty());
  EXPECT_FALSE(json.contains("verdict")) << "nothing was compared";
}

// Each repeat draws a new simulated world, so systems are compared by their differences within one world.
TEST(Simulate, TellsSystemsApartByPairedDifferences) {
  SimulateSettings settings = small_settings();
  settings.repeats = 4;
  settings.variants = {{ContextKind::centroid, 32}};
  SyntheticExperiment experiment;
  experiment.world.steps = 5;
  experiment.world.dimension = 4;
  experiment.users = {400};
  const Experiment result = simulated(simulate(experiment, settings, runner));
  const auto point = to_json(result)["points"][0];
  const auto private_ones = point["p2b"][0]["reward"]["repeats"].get<std::vector<double>>();
  const auto cold = point["cold"]["repeats"].get<std::vector<double>>();
  double mean = 0;
  for (std::size_t i = 0; i < 4; ++i) mean += (private_ones[i] - cold[i]) / 4;
  EXPECT_NEAR(point["p2b"][0]["over_cold"]["mean"], mean, 1e-12);
  EXPECT_GT(point["p2b"][0]["over_cold"]["standard_error"], 0);
  EXPECT_TRUE(point["p2b"][0].contains("over_warm"));
  EXPECT_THAT(summary_text(result), HasSubstr(fmt::format("over cold       {:+.4f} ", mean)));
  EXPECT_EQ(to_json(result)["tables"]["differences"].size(), 2u);
  EXPECT_EQ(to_json(result)["not_to_publish"].size(), 3u);
}

TEST(Simulate, ItsPageHasAChartTheCommandAndNoBrokenNumber) {
  Experiment result = small_run(small_settings());
  result.provenance.command = "sotto-lab simulate synthetic --users 60,200";
  const std::string html = report_html(result);
  EXPECT_THAT(html, AllOf(HasSubstr("Reward along a user"), HasSubstr("<svg class=\"chart wide\""),
                          HasSubstr("<code>sotto-lab simulate synthetic --users 60,200</code>"),
                          HasSubstr("td, .parameters dd, .legend li { white-space: nowrap; }"),
                          HasSubstr("<span class=\"together\">140 early users</span>"),
                          HasSubstr("each user reports with <span class=\"together\">p = 0.5</span>")));
  for (std::size_t at = html.find(" +- "); at != std::string::npos; at = html.find(" +- ", at + 1)) {
    EXPECT_EQ(html.substr(html.rfind('<', at), 4), "<td>") << html.substr(at - 20, 40);
  }
  const auto along = to_json(result)["curves"][0];
  EXPECT_EQ(along["x"], (std::vector<double>{1, 2, 3}));
  ASSERT_EQ(along["rewards"].size(), 4u);
  double mean = 0;
  for (const auto& step : along["rewards"]["cold"]) mean += step["mean"].get<double>() / 3;
  EXPECT_NEAR(mean, to_json(result)["reward_cold"], 1e-12) << "of all steps alike";
}

TEST(Simulate, StampsThePublishedChoiceOfTuple) {
  SimulateSettings settings = small_settings();
  const Experiment uniform = small_run(settings);
  settings.choice = TupleChoice::published;
  const Experiment published = small_run(settings);
  EXPECT_THAT(report_html(uniform), Not(HasSubstr("by its reward")));
  EXPECT_THAT(report_html(published), HasSubstr("choose the reported tuple by its reward"));
  EXPECT_THAT(summary_text(published), HasSubstr("choose the reported tuple by its reward"));
  EXPECT_EQ(to_json(published)["tuple_choice"], "published");
  EXPECT_EQ(to_json(published)["stamps"].size(), 1u);
}

TEST(Simulate, IsTheSameAgain) {
  SimulateSettings settings = small_settings();
  const auto first = to_json(small_run(settings))["points"];
  settings.threads = 3;
  EXPECT_EQ(to_json(small_run(settings))["points"], first);
}

std::string users_csv(std::size_t users) {
  std::string text = "user,t,a,b,reward_0,reward_1\n";
  for (std::size_t u = 0; u < users; ++u) {
    for (int t = 0; t < 4; ++t) {
      const bool first = (u + static_cast<std::size_t>(t)) % 2 == 0;
      text += fmt::format("{},{},{},{},{},{}\n", u, t, first ? 1 : 0, first ? 0 : 1, first ? 1 : 0, first ? 0 : 1);
    }
  }
  return text;
}

TEST(Simulate, PlaysUsersOfAFile) {
  const TestFolder folder;
  const Experiment result = simulated(simulate(folder.put("users.csv", users_csv(100)), small_settings(), runner));
  const auto json = to_json(result);
  EXPECT_EQ(json["users"], 100);
  EXPECT_EQ(json["codes"], 8) << "the grid has 11 points";
  EXPECT_EQ(json["data"]["rows"], 400);
  EXPECT_GT(json["reward_p2b"], .95);
  EXPECT_GT(json["reward_warm_nonprivate"], .95);
  EXPECT_LT(json["reward_cold"], .9);
  ASSERT_EQ(json["curves"].size(), 1u);
  EXPECT_EQ(json["curves"][0]["against"], "steps");
  EXPECT_THAT(report_html(result), HasSubstr("Reward by number of steps"));
}

TEST(Simulate, PlaysMultiLabelDataAndTheCriteoLog) {
  const TestFolder folder;
  MultiLabelSettings labels{.file = folder.put("data.svm", multi_label_sample(1500, 8, 4, 1).libsvm()),
                            .labels = {},
                            .dimension = 8,
                            .arms = 4,
                            .steps = 10};
  const auto multi = to_json(simulated(simulate(labels, small_settings(), runner)));
  EXPECT_EQ(multi["experiment"], "p2b simulate multilabel");
  EXPECT_EQ(multi["users"], 150);
  EXPECT_GT(multi["reward_warm_nonprivate"].get<double>(), multi["reward_cold"].get<double>());
  CriteoWorldSettings criteo{
      .file = folder.put("log.txt", criteo_sample(4000, 1)), .dimension = 4, .arms = 8, .steps = 20};
  const auto log = to_json(simulated(simulate(criteo, small_settings(), runner)));
  EXPECT_EQ(log["experiment"], "p2b simulate criteo");
  EXPECT_LT(log["points"][0]["interactions"], log["points"][0]["events"]) << "replay keeps a part";
  EXPECT_TRUE(log["points"][0]["best_arm"].is_null());
}

TEST(Simulate, RefusesSettingsThatMakeNoSense) {
  const auto refused = [](auto change) {
    SimulateSettings settings = small_settings();
    change(settings);
    EXPECT_THROW((void)small_run(settings), InputError);
  };
  refused([](SimulateSettings& s) { s.p = 0; });
  refused([](SimulateSettings& s) { s.p = 1; });
  refused([](SimulateSettings& s) { s.threshold = 0; });
  refused([](SimulateSettings& s) { s.early = 1; });
  refused([](SimulateSettings& s) { s.early = 1e-6; });
  refused([](SimulateSettings& s) { s.alpha = -1; });
  refused([](SimulateSettings& s) { s.variants = {{ContextKind::one_hot, 1024}}; });
  refused([](SimulateSettings& s) { s.centroids = "nowhere.csv"; });
}

TEST(SimulateStatistical, ComesToTheReference) {
  SyntheticExperiment experiment;
  experiment.quick = true;
  SimulateSettings settings;
  settings.repeats = 10;
  const SimulateResult result = simulate(experiment, settings, runner);
  ASSERT_EQ(result.checks.size(), 16u);
  for (const Check& check : result.checks) {
    EXPECT_TRUE(check.passed) << check.setting << ", " << check.quantity << ": " << check.ours << " where "
                              << check.expected << " is expected";
  }
  ASSERT_EQ(result.curves.size(), 4u);
  for (const SimulateCurve& curve : result.curves) {
    for (const ChartSeries& series : simulate_chart(curve).series) {
      EXPECT_EQ(series.points.size(), curve.x.size()) << curve.key << ", " << series.name;
    }
  }
  EXPECT_EQ(to_json(simulated(result))["all_passed"], true);
  EXPECT_THAT(report_html(simulated(result)), HasSubstr("16 of 16 figures are within"));
}

TEST(Paired, HasTheErrorOfTheDifferencesAlone) {
  const Paired difference = paired({11, 22, 33}, {10, 20, 30});
  EXPECT_NEAR(difference.mean, 2, 1e-12);
  EXPECT_NEAR(difference.error, 1 / std::sqrt(3.0), 1e-12);
  EXPECT_EQ(difference_text(difference), "+2.0000");
  EXPECT_EQ(error_text(difference), "+- 0.5774");
  EXPECT_EQ(error_text(paired({1}, {2})), "") << "one world has no error";
}

TEST(Banded, IsStudentsBand) {
  const Banded figure = banded({1, 2, 3, 4});
  EXPECT_EQ(figure.mean, 2.5);
  EXPECT_NEAR(figure.sd, 1.29099, 1e-5);
  EXPECT_NEAR(figure.band, 3.182 * 1.29099 / 2, 1e-4);
  EXPECT_EQ(banded({7}).band, 0);
}

}  // namespace
}  // namespace sotto::apps::lab
