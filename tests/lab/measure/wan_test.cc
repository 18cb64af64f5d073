// What `sotto-lab bench wan` makes of its points; the runs themselves are a process test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/bench/lab/measure/wan_page.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<WanPoint> points() {
  std::vector<WanPoint> all;
  for (const int delay : {20, 0}) {
    for (const std::size_t parties : {2u, 3u}) {
      const net::LinkConditions link{std::chrono::milliseconds(delay), {}, 0};
      const double seconds = 7e-3 * delay;
      all.push_back(
          WanPoint{{parties, 20, 10, link}, 10, 7, 30'000, {seconds, 0, 0, 1e-3, 2e-3 + seconds}});
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

}  // namespace
}  // namespace sotto::apps
