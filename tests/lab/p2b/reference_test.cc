#include "sotto/bench/lab/p2b/reference.h"

#include "sotto/bench/lab/p2b/stream.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

TEST(AdjustedTo, ReadsAPlaneOff) {
  std::vector<double> y, a, b;
  Stream stream({1});
  for (int i = 0; i < 12; ++i) {
    a.push_back(stream.unit());
    b.push_back(stream.unit());
    y.push_back(1 + 2 * a.back() - 3 * b.back());
  }
  const Adjusted at = adjusted_to(y, a, b, .3, .9, 3);
  EXPECT_NEAR(at.value, 1 + .6 - 2.7, 1e-12);
  EXPECT_NEAR(at.error, 0, 1e-12);
}

TEST(AdjustedToStatistical, KnowsItsError) {
  // Off by more than two of its errors in about 5% of the cases, as the reference's mean is drawn too.
  constexpr int cases = 2000;
  int off = 0;
  Stream stream({2});
  for (int i = 0; i < cases; ++i) {
    std::vector<double> y, a, b;
    const auto draw = [&](double x, double z) { return x - z + .1 * stream.normal(); };
    for (int j = 0; j < 24; ++j) {
      a.push_back(stream.normal());
      b.push_back(a.back() + stream.normal());
      y.push_back(draw(a.back(), b.back()));
    }
    const double theirs = (draw(.5, .2) + draw(.5, .2) + draw(.5, .2)) / 3;
    const Adjusted ours = adjusted_to(y, a, b, .5, .2, 3);
    off += std::abs(ours.value - theirs) > 2 * ours.error ? 1 : 0;
  }
  EXPECT_GT(off, cases * .03);
  EXPECT_LT(off, cases * .09);
}

// A point of the paper whose draws have these figures, and whose agents share what can be gained.
SimulatePoint point_of(std::size_t users, double warm, double p2b) {
  SimulatePoint point;
  point.settings = {users, 10, 10, 10, TupleChoice::published, {{ContextKind::centroid, 1024}}};
  Stream stream({users});
  for (int i = 0; i < 24; ++i) {
    PlayOutcome outcome;
    outcome.best = .186 + .05 * (stream.unit() - .5);
    outcome.cold.reward = .056 + .02 * (stream.unit() - .5);
    outcome.warm.reward = warm + *outcome.best - .186 + .004 * (stream.unit() - .5);
    outcome.variants.resize(1);
    outcome.variants[0].late.reward = p2b + *outcome.best - .186 + .004 * (stream.unit() - .5);
    point.repeats.push_back(outcome);
  }
  return point;
}

TEST(CheckReference, PassesWhatIsWithinAndFailsTheRest) {
  const std::vector<SimulatePoint> points{point_of(1428, .176, .161), point_of(7142, .181, .13)};
  const std::vector<Check> checks = check_reference(points);
  ASSERT_EQ(checks.size(), 6u) << "two of the draws, two of each point";
  const auto find = [&](const std::string& setting, const std::string& quantity) {
    return std::find_if(checks.begin(), checks.end(), [&](const Check& check) {
      return check.setting.starts_with(setting) && check.quantity == quantity;
    });
  };
  EXPECT_TRUE(find("the draws", "best arm")->passed);
  EXPECT_TRUE(find("the draws", "cold")->passed);
  EXPECT_TRUE(find("999", "warm, not private")->passed);
  EXPECT_TRUE(find("999", "P2B, centroid, k = 1024")->passed);
  EXPECT_TRUE(find("4999", "warm, not private")->passed);
  EXPECT_FALSE(find("4999", "P2B, centroid, k = 1024")->passed);
}

TEST(CheckReference, ComparesNothingElse) {
  SimulatePoint uniform = point_of(1428, .176, .161);
  uniform.settings.choice = TupleChoice::uniform;
  SimulatePoint few = point_of(1428, .176, .161);
  few.repeats.resize(least_draws - 1);
  SimulatePoint other = point_of(1428, .176, .161);
  other.settings.arms = 11;
  EXPECT_TRUE(check_reference(std::vector<SimulatePoint>{uniform, few, other}).empty());
}

}  // namespace
}  // namespace sotto::apps
