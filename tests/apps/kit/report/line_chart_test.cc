#include "sotto/apps/kit/report/line_chart.h"
#include "tests/apps/support.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sotto::apps {
namespace {

RC_GTEST_PROP(NiceTicks, CoverTheRangeEvenlyWithRoundSteps, ()) {
  const double low = *rc::gen::inRange(-1000, 1000) / 100.0;
  const double span = *rc::gen::inRange(1, 100'000) / 1000.0;
  const std::vector<double> ticks = nice_ticks(low, low + span, 5);
  RC_ASSERT(ticks.size() >= 2);
  RC_ASSERT(ticks.size() <= 8);
  const double step = ticks[1] - ticks[0];
  RC_ASSERT(ticks.front() <= low + step * 1e-6);
  RC_ASSERT(ticks.back() >= low + span - step * 1e-6);
  const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
  RC_ASSERT(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6);
}

TEST(NiceTicks, AreWhatOneWouldDraw) {
  EXPECT_EQ(nice_ticks(0, 60'000, 8).size(), 7u);
  EXPECT_DOUBLE_EQ(nice_ticks(0, 1, 5)[1], .2);
}

RC_GTEST_PROP(PowerTicks, CoverTheRangeByOneFactor, ()) {
  const double low = std::pow(10, *rc::gen::inRange(-1600, 300) / 100.0);
  const double high = low * std::pow(10, *rc::gen::inRange(0, 1800) / 100.0);
  const std::vector<double> ticks = power_ticks(low, high, 5);
  RC_ASSERT(ticks.size() >= 2);
  RC_ASSERT(ticks.size() <= 7);
  RC_ASSERT(ticks.front() <= low * (1 + 1e-6));
  RC_ASSERT(ticks.back() >= high * (1 - 1e-6));
  const double factor = std::log10(ticks[1] / ticks[0]);
  RC_ASSERT(std::abs(factor - std::round(factor)) < 1e-9);
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    RC_ASSERT(std::abs(std::log10(ticks[i] / ticks[i - 1]) - factor) < 1e-9);
  }
}

// Without a coordinate that is none.
std::string wide_svg(const LineChart& chart) {
  std::string svg = line_chart_svg(chart, {920, 380}, "wide");
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  return svg;
}

LineChart two_points() {
  LineChart chart;
  chart.title = "rewards <of> a run";
  chart.x_label = "steps";
  chart.y_label = "reward";
  chart.series = {{"private", "private run", {{1, 0, {}}, {100, 1, {}}}}};
  return chart;
}

TEST(LineChart, DrawsTheSeriesInItsFrame) {
  const std::string svg = wide_svg(two_points());
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 920 380\""));
  EXPECT_THAT(svg, HasSubstr("rewards &lt;of&gt; a run"));
  EXPECT_THAT(svg, HasSubstr("class=\"series series-private\" points=\"58.4,336.0 894.0,16.0 \""));
  EXPECT_THAT(svg, Not(HasSubstr("<polygon")));
}

TEST(LineChart, HasALogarithmicAxis) {
  LineChart chart = two_points();
  chart.log_y = true;
  chart.series[0].points = {{0, 0, {}}, {10, 1, {}}, {50, 10, .5}, {100, 100, {}}};
  const std::string svg = wide_svg(chart);
  // From 1 at the foot (336) to 100 at the top (16): 10 is in the middle, 0 at the foot.
  EXPECT_THAT(svg, HasSubstr("points=\"50.0,336.0 134.4,336.0 472.0,176.0 894.0,16.0 \""));
  EXPECT_THAT(svg, HasSubstr(">100</text>"));
}

TEST(LineChart, DrawsALogarithmicAxisOfNothingAbove0) {
  LineChart chart = two_points();
  chart.log_y = true;
  chart.series[0].points = {{1, 0, .1}, {2, -1, .1}};
  (void)wide_svg(chart);
}

TEST(LineChart, CountsInWholeNumbers) {
  LineChart chart = two_points();
  chart.series[0].points = {{2, 0, {}}, {3, 1, {}}};
  const std::string svg = wide_svg(chart);
  std::size_t count = 0;
  for (std::size_t at = svg.find(">1</text>"); at != std::string::npos; at = svg.find(">1</text>", at + 1)) ++count;
  EXPECT_EQ(count, 1u);
}

TEST(LineChart, ShowsValuesUnderThePointerWhereThereIsRoom) {
  EXPECT_THAT(wide_svg(two_points()), HasSubstr("private run 1.000"));
  EXPECT_THAT(line_chart_svg(two_points(), {380, 300}, "narrow"), Not(HasSubstr("private run 1.000")));
}

TEST(LineChart, DrawsBandsAndBaselines) {
  LineChart chart = two_points();
  for (ChartPoint& point : chart.series[0].points) point.sd = .1;
  chart.baselines = {{"uniform play", .1}};
  const std::string svg = wide_svg(chart);
  EXPECT_THAT(svg, HasSubstr("<polygon class=\"band-private\""));
  EXPECT_THAT(svg, HasSubstr("uniform play"));
}

TEST(LineChart, SurvivesOnePointNoPointAndConstants) {
  LineChart chart;
  (void)wide_svg(chart);
  chart.series = {{"private", "p", {{1, 0, {}}}}};
  (void)wide_svg(chart);
  chart.series = {{"private", "p", {{1, -.5, {}}, {2, -.5, {}}}}};
  (void)wide_svg(chart);
}

TEST(LineChart, SpreadsPowersEvenlyOnALogarithmicXAxis) {
  LineChart chart = two_points();
  chart.log_x = true;
  chart.series[0].points = {{10, 0, {}}, {100, .5, {}}, {1000, 1, {}}};
  const std::string svg = wide_svg(chart);
  for (const char* tick : {">10<", ">20<", ">50<", ">100<", ">1,000<"}) EXPECT_THAT(svg, HasSubstr(tick));
  const std::size_t at = svg.find("points=\"");
  ASSERT_NE(at, std::string::npos);
  double x[3], y[3];
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "points=\"%lf,%lf %lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]),
            6);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], .2);
  EXPECT_NEAR(x[2], 920 - 26, .1);
}

TEST(LineChart, WritesXThatIsNoWholeNumber) {
  LineChart chart = two_points();
  chart.log_x = true;
  chart.series[0].points = {{.5, 0, {}}, {.6, .5, {}}, {10, 1, {}}};
  const std::string svg = wide_svg(chart);
  for (const char* text : {">0.5<", ">1<", " 0.6 "}) EXPECT_THAT(svg, HasSubstr(text));
}

TEST(LineChart, FallsBackToAPlainXAxisWhereAPointIsNotAboveZero) {
  LineChart chart = two_points();
  chart.series[0].points = {{0, 0, {}}, {100, 1, {}}};
  const std::string plain = wide_svg(chart);
  chart.log_x = true;
  EXPECT_EQ(wide_svg(chart), plain);
}

}  // namespace
}  // namespace sotto::apps
