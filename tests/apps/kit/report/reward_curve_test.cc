#include "sotto/apps/kit/report/reward_curve.h"
#include "tests/apps/support.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

RC_GTEST_PROP(RewardCurve, StepsGrowEndAtTheLastAndAreExactPrefixMeans, ()) {
  const auto total = *rc::gen::inRange<std::uint64_t>(1, 20'000);
  const auto most = *rc::gen::inRange<std::size_t>(1, 300);
  RewardCurve curve(total, most);
  std::vector<double> prefix{0};
  for (std::uint64_t t = 0; t < total; ++t) {
    const double reward = static_cast<double>((t * 2654435761u) % 7) - 3;
    curve.add(reward);
    prefix.push_back(prefix.back() + reward);
  }
  const Curve points = curve.points();
  RC_ASSERT(points.size() == std::min<std::uint64_t>(total, most));
  RC_ASSERT(points.back().step == total);
  std::uint64_t before = 0;
  for (const CurvePoint& point : points) {
    RC_ASSERT(point.step > before);
    before = point.step;
    const double expected = prefix[point.step] / static_cast<double>(point.step);
    RC_ASSERT(std::abs(point.average_reward - expected) < 1e-12);
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

}  // namespace
}  // namespace sotto::apps
