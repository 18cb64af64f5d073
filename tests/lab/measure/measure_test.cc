#include <nlohmann/json.hpp>

#include "sotto/apps/bandit/local.h"
#include "sotto/apps/kit/files/private_path.h"
#include "sotto/bench/lab/measure/bandit_trial.h"
#include "sotto/bench/lab/measure/p2b_speed.h"
#include "sotto/bench/lab/measure/service_speed.h"
#include "sotto/bench/lab/measure/synthetic.h"
#include "sotto/bench/lab/measure/wan.h"
#include "tests/lab/interrupts.h"

namespace sotto::apps {
namespace {

TEST(SyntheticData, HasContextsOfNormOne) {
  const SyntheticData data = make_data(200, 7, 5, 1);
  ASSERT_EQ(data.contexts.size(), 1400u);
  ASSERT_EQ(data.labels.size(), 200u);
  for (std::size_t row = 0; row < 200; ++row) {
    double square = 0;
    for (const double x : data.context(row)) square += x * x;
    EXPECT_NEAR(square, 1, 1e-12);
  }
  EXPECT_EQ(std::set(data.labels.begin(), data.labels.end()), (std::set{0u, 1u, 2u, 3u, 4u}));
  EXPECT_EQ(make_data(200, 7, 5, 1).contexts, data.contexts);
  EXPECT_NE(make_data(200, 7, 5, 2).contexts, data.contexts);
}

TEST(SyntheticData, CanBeReadByARun) {
  const PrivateFolder folder;
  const SyntheticData data = make_data(30, 7, 40, 1);
  const BanditOptions options = write_data(data, 3, folder.path());
  const LocalInputs inputs = read_local_inputs(options);
  ASSERT_EQ(inputs.blocks.size(), 3u);
  EXPECT_EQ(inputs.blocks[0].table.columns.size(), 3u);
  EXPECT_EQ(inputs.blocks[2].table.columns.size(), 2u);
  EXPECT_EQ(inputs.environment.arms(), 40u);
  EXPECT_TRUE(inputs.environment.binary_rewards());
  for (std::size_t row = 0; row < 30; ++row) {
    EXPECT_EQ(inputs.blocks[1].table.values[2 * row], data.context(row)[3]);
    EXPECT_EQ(inputs.environment.reward(row, data.labels[row]), 1);
  }
}

TEST(BanditTrial, TakesAsManyStepsAsMemoryAllows) {
  const BanditTrial few({2, 4, 3, 50, false});
  EXPECT_EQ(few.configuration().steps, 50u);
  const BanditTrial ahead({2, 20, 40, 100'000, false});
  EXPECT_LT(ahead.configuration().steps, 100'000u);
  EXPECT_GT(ahead.configuration().steps, 1u);
  const BanditTrial streaming({2, 20, 40, 100'000, true});
  EXPECT_EQ(streaming.configuration().steps, 100'000u);
}

// What `sotto-lab bench wan` makes of its points; the runs themselves are a process test.

using testing::HasSubstr;
using testing::Not;

std::vector<WanPoint> points() {
  std::vector<WanPoint> all;
  for (const int delay : {20, 0}) {
    for (const std::size_t parties : {2u, 3u}) {
      const net::LinkConditions link{std::chrono::milliseconds(delay), {}, 0};
      const double seconds = 7e-3 * delay;
      all.push_back(WanPoint{{parties, 20, 10, link}, 10, 7, 30'000, {seconds, 0, 0, 1e-3, 2e-3 + seconds}});
    }
  }
  return all;
}

TEST(Wan, TheTableHasAnErrorWhereALinkWasEmulated) {
  const nlohmann::ordered_json rows = wan_table(points()).to_json();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(rows[0].at("measured_ms").get<double>(), 142, 1e-9);
  EXPECT_NEAR(rows[0].at("model_ms").get<double>(), 141, 1e-9);
  EXPECT_NEAR(rows[0].at("error_percent").get<double>(), 100 * (141.0 / 142 - 1), 1e-9);
  EXPECT_TRUE(rows[2].at("error_percent").is_null());
}

TEST(Wan, ChartsVaryOneThingEach) {
  const std::vector<WanChart> charts = wan_charts(points());
  ASSERT_EQ(charts.size(), 2u);  // one number of arms is no chart
  EXPECT_EQ(charts[0].key, "delay");
  const LineChart& delay = charts[0].chart;
  ASSERT_EQ(delay.series.size(), 4u);
  EXPECT_EQ(delay.series[0].name, "2 parties");
  EXPECT_EQ(delay.series[1].css_name, "m0");
  ASSERT_EQ(delay.series[0].points.size(), 2u);  // in order of x, whatever the order of the runs
  EXPECT_EQ(delay.series[0].points[0].x, 0);
  EXPECT_NEAR(delay.series[0].points[1].y, 142, 1e-9);
  EXPECT_NEAR(delay.series[1].points[1].y, 141, 1e-9);
  EXPECT_EQ(charts[1].key, "parties");
  EXPECT_EQ(charts[1].chart.series[2].name, "20 ms");
}

TEST(Wan, PlotsStandAlone) {
  const std::vector<WanChart> charts = wan_charts(points());
  const std::string svg = wan_svg(charts[0]);
  EXPECT_EQ(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0u);
  EXPECT_THAT(svg, HasSubstr("<style>"));
  EXPECT_THAT(svg, HasSubstr(">3 parties</text>"));
  const Page page{"wan", "A & B", "about <it>", {}, {wan_table(points())}};
  const std::string html = wan_html(page, charts);
  EXPECT_THAT(html, HasSubstr("A &amp; B"));
  EXPECT_THAT(html, Not(HasSubstr("about <it>")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
}

// The bench of services: every row measures something.

TEST(ServiceSpeed, TakesAllThatIsSent) {
  for (const bool encrypted : {false, true}) {
    const ServiceSpeed speed = measure_service({encrypted, 20, 1000}, 0, not_interrupted);
    EXPECT_GT(speed.messages_per_second, 0);
    EXPECT_GT(speed.ask_microseconds, 0);
  }
}

TEST(ServiceSpeed, HasARowForEachLinkAndSize) {
  const auto rows = service_table(5, 0, not_interrupted).to_json();
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0]["link"], "TLS");
  EXPECT_EQ(rows[7]["link"], "TCP");
  EXPECT_EQ(rows[7]["clients"], 5);
  for (const auto& row : rows) EXPECT_GT(row["megabytes_per_second"], 0);
}

// The bench of P2B's shuffler: every row measures something, whatever it is.

P2bTrial small_trial() {
  P2bTrial trial;
  trial.reports = 1000;
  trial.reports_a_message = 64;
  return trial;
}

TEST(P2bSpeed, TakesAllReportsOfAllAgents) {
  for (const bool encrypted : {false, true}) {
    P2bTrial trial = small_trial();
    trial.encrypted = encrypted;
    trial.agents = 3;
    // The shuffler ends once it has counted all of them, and so do the agents.
    const P2bSpeed speed = measure_shuffler(trial, not_interrupted);
    EXPECT_GT(speed.reports_per_second, 0);
    EXPECT_GT(speed.shuffler_us, 0);
    EXPECT_GT(speed.memory_mb, 1);
  }
  EXPECT_GT(measure_queue(small_trial()).reports_per_second, 0);
}

TEST(P2bSpeed, HasARowForEachLinkAndFloor) {
  const P2bTables tables = p2b_tables(small_trial(), 0, not_interrupted);
  const auto rows = tables.speeds.to_json();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0]["link"], "TLS");
  EXPECT_EQ(rows[2]["link"], "TCP");
  EXPECT_EQ(rows[4]["what"], "its queue alone");
  for (const auto& row : rows) EXPECT_GT(row["reports_per_second"], 0);
  ASSERT_EQ(tables.targets.to_json().size(), 1U);
  EXPECT_EQ(tables.targets.to_json()[0]["target"], 100'000);
}

TEST(Measurements, EndWhenInterrupted) {
  EXPECT_THROW(static_cast<void>(measure_service({false, 2, 10}, 1000, interrupted)), Interrupted);
  EXPECT_THROW(static_cast<void>(measure_shuffler(small_trial(), interrupted)), Interrupted);
}

}  // namespace
}  // namespace sotto::apps
