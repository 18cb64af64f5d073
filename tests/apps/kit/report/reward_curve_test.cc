#include "apps/kit/report/reward_curve.h"
#include "apps/kit/report/line_chart.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

TEST(RewardCurve, KeepsEveryStepOfAShortRun) {
  RewardCurve curve(3);
  for (const double reward : {1.0, 0.0, 0.5}) curve.add(reward);
  const Curve points = curve.points();
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].average_reward, 1);
  EXPECT_EQ(points[1].average_reward, .5);
  EXPECT_EQ(points[2].average_reward, .5);
  EXPECT_EQ(points[2].step, 3u);
}

TEST(RewardCurve, RefusesMoreStepsThanDeclared) {
  RewardCurve curve(1);
  curve.add(1);
  EXPECT_THROW(curve.add(1), std::invalid_argument);
  EXPECT_THROW(RewardCurve(0), std::invalid_argument);
  EXPECT_THROW(RewardCurve(1, 0), std::invalid_argument);
}

TEST(RewardCurve, AnUnfinishedRunEndsWhereItStopped) {
  RewardCurve curve(100'000);
  EXPECT_TRUE(curve.points().empty());
  EXPECT_EQ(curve.average(), 0);
  for (int t = 0; t < 54'321; ++t) curve.add(.25);
  EXPECT_EQ(curve.points().back().step, 54'321u);
  EXPECT_DOUBLE_EQ(curve.points().back().average_reward, .25);
}

PROPERTY(RewardCurve, StepsGrowEndAtTheLastAndAreExactPrefixMeans) {
  const auto total = draw_in_range<std::uint64_t>(1, 20'000);
  const auto most = draw_in_range<std::size_t>(1, 300);
  RewardCurve curve(total, most);
  std::vector<double> prefix{0};
  for (std::uint64_t t = 0; t < total; ++t) {
    const double reward = static_cast<double>((t * 2654435761u) % 7) - 3;
    curve.add(reward);
    prefix.push_back(prefix.back() + reward);
  }
  const Curve points = curve.points();
  HOLDS(points.size() == std::min<std::uint64_t>(total, most));
  HOLDS(points.back().step == total);
  std::uint64_t before = 0;
  for (const CurvePoint& point : points) {
    HOLDS(point.step > before);
    before = point.step;
    const double expected = prefix[point.step] / static_cast<double>(point.step);
    HOLDS(std::abs(point.average_reward - expected) < 1e-12);
  }
}

TEST(RewardCurve, ThinsOutSmoothlyInALongRun) {
  RewardCurve curve(1'000'000);
  for (int t = 0; t < 1'000'000; ++t) curve.add(1e-9);
  const Curve points = curve.points();
  ASSERT_EQ(points.size(), 200u);
  EXPECT_LE(points[1].step, 2u);
  for (std::size_t i = 1; i < points.size(); ++i) EXPECT_LE(points[i].step - points[i - 1].step, 15'001u);
  EXPECT_NEAR(points.back().average_reward, 1e-9, 1e-24);
}

TEST(RewardCurve, AveragesPointByPoint) {
  const Curve one{{1, 0.0, {}}, {2, .5, {}}};
  const Curve two{{1, 1.0, {}}, {2, .5, {}}};
  const Curve mean = average_curves(std::vector{one, two});
  ASSERT_EQ(mean.size(), 2u);
  EXPECT_EQ(mean[0].average_reward, .5);
  EXPECT_DOUBLE_EQ(*mean[0].sd, std::sqrt(.5));
  EXPECT_EQ(*mean[1].sd, 0);
  EXPECT_FALSE(average_curves(std::vector<Curve>{one})[0].sd);
  EXPECT_THROW(average_curves(std::vector{one, Curve{{1, 0.0, {}}}}), std::invalid_argument);
  EXPECT_THROW(average_curves(std::vector{one, Curve{{1, 0.0, {}}, {3, 0.0, {}}}}), std::invalid_argument);
}

TEST(RewardCurve, GoesOnFromAStateAsIfNothingHadHappened) {
  for (const std::uint64_t total : {7u, 200u, 1000u, 12345u}) {
    for (const std::uint64_t stop : {std::uint64_t{0}, std::uint64_t{1}, total / 2, total - 1, total}) {
      RewardCurve whole(total);
      RewardCurve first(total);
      const auto reward = [](std::uint64_t step) { return .1 * static_cast<double>(step % 7); };
      for (std::uint64_t step = 0; step < stop; ++step) first.add(reward(step));
      RewardCurve second(total, first.state());
      for (std::uint64_t step = stop; step < total; ++step) second.add(reward(step));
      for (std::uint64_t step = 0; step < total; ++step) whole.add(reward(step));
      EXPECT_EQ(second.state(), whole.state()) << total << " " << stop;
      EXPECT_EQ(second.points(), whole.points()) << total << " " << stop;
    }
  }
}

TEST(RewardCurve, RefusesAStateThatIsNoneOfItsOwn) {
  RewardCurve curve(1000);
  for (int i = 0; i < 500; ++i) curve.add(1);
  const RewardCurve::State good = curve.state();
  const auto refused = [&](auto change) {
    RewardCurve::State state = good;
    change(state);
    EXPECT_THROW(RewardCurve(1000, state), std::invalid_argument);
  };
  EXPECT_NO_THROW(RewardCurve(1000, good));
  refused([](auto& s) { s.steps = 1001; });
  refused([](auto& s) { s.steps = 400; });
  refused([](auto& s) { s.points.pop_back(); });
  refused([](auto& s) { s.points.front().step = 2; });
  refused([](auto& s) { s.sum = std::numeric_limits<double>::quiet_NaN(); });
}

PROPERTY(NiceTicks, CoverTheRangeEvenlyWithRoundSteps) {
  const double low = draw_in_range(-1000, 1000) / 100.0;
  const double span = draw_in_range(1, 100'000) / 1000.0;
  const std::vector<double> ticks = nice_ticks(low, low + span, 5);
  HOLDS(ticks.size() >= 2);
  HOLDS(ticks.size() <= 8);
  const double step = ticks[1] - ticks[0];
  HOLDS(ticks.front() <= low + step * 1e-6);
  HOLDS(ticks.back() >= low + span - step * 1e-6);
  const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
  HOLDS(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6);
}

TEST(NiceTicks, AreWhatOneWouldDraw) {
  EXPECT_EQ(nice_ticks(0, 60'000, 8).size(), 7u);
  EXPECT_DOUBLE_EQ(nice_ticks(0, 1, 5)[1], .2);
}

PROPERTY(PowerTicks, CoverTheRangeByOneFactor) {
  const double low = std::pow(10, draw_in_range(-1600, 300) / 100.0);
  const double high = low * std::pow(10, draw_in_range(0, 1800) / 100.0);
  const std::vector<double> ticks = power_ticks(low, high, 5);
  HOLDS(ticks.size() >= 2);
  HOLDS(ticks.size() <= 7);
  HOLDS(ticks.front() <= low * (1 + 1e-6));
  HOLDS(ticks.back() >= high * (1 - 1e-6));
  const double factor = std::log10(ticks[1] / ticks[0]);
  HOLDS(std::abs(factor - std::round(factor)) < 1e-9);
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    HOLDS(std::abs(std::log10(ticks[i] / ticks[i - 1]) - factor) < 1e-9);
  }
}

std::string wide_svg(const LineChart& chart) {
  std::string svg = line_chart_svg(chart, {920, 380}, "wide");
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  return svg;
}

LineChart two_points() {
  return LineChart{.title = "rewards <of> a run",
                   .x_label = "steps",
                   .y_label = "reward",
                   .series = {{"private", "private run", {{1, 0, {}}, {100, 1, {}}}}}};
}

TEST(LineChart, DrawsTheSeriesInItsFrame) {
  const std::string svg = wide_svg(two_points());
  EXPECT_THAT(svg, AllOf(HasSubstr("viewBox=\"0 0 920 380\""), HasSubstr("rewards &lt;of&gt; a run"),
                         HasSubstr("class=\"series series-private\" points=\"58.4,336.0 894.0,16.0 \""),
                         Not(HasSubstr("<polygon"))));
}

TEST(LineChart, HasALogarithmicAxis) {
  LineChart chart = two_points();
  chart.log_y = true;
  chart.series[0].points = {{0, 0, {}}, {10, 1, {}}, {50, 10, .5}, {100, 100, {}}};
  const std::string svg = wide_svg(chart);
  // The vertical axis begins with 1 at the bottom (at 336) and ends with 100 at the top (at 16). The axis is
  // logarithmic: 10 is in the middle, and 0 is drawn at the bottom.
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
  EXPECT_THAT(svg, AllOf(HasSubstr("<polygon class=\"band-private\""), HasSubstr("uniform play")));
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
