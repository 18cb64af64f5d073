#include "apps/kit/learn/interval.h"
#include "apps/kit/learn/mean.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

TEST(TQuantile, HasTheValuesOfTables) {
  EXPECT_NEAR(t_quantile(1), 12.706, .001);
  EXPECT_NEAR(t_quantile(10), 2.228, .001);
  EXPECT_NEAR(t_quantile(10.9), 2.228, .001);  // 10.9 is rounded down to 10, so that the interval is never too narrow
  EXPECT_NEAR(t_quantile(40), 2.021, .002);
  EXPECT_NEAR(t_quantile(1000), 1.962, .001);
  EXPECT_NEAR(t_quantile(.5), 12.706, .001);
}

TEST(HalfWidthOfDifference, IsWelchs) {
  // 20 values of standard deviation 2 and 5 values of standard deviation 6: 4 / 20 + 36 / 5 = 7.4, with 4.22 degrees of
  // freedom.
  EXPECT_NEAR(half_width_of_difference({10, 2, 20}, {8, 6, 5}), 2.776 * std::sqrt(7.4), .01);
  EXPECT_NEAR(half_width_of_difference({10, 2, 20}, {8}), 2.093 * std::sqrt(.2), 1e-3);
  EXPECT_EQ(half_width_of_difference({10}, {8}), 0);
}

TEST(HalfWidthOfDifference, CoversTheTruth) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> one(1, .3);
  std::normal_distribution<double> other(.4, 1);
  constexpr int trials = 20'000;
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> a(5);
    std::vector<double> b(20);
    for (double& value : a) value = one(random);
    for (double& value : b) value = other(random);
    const MeanAndSd of_a = mean_and_sd(a);
    const MeanAndSd of_b = mean_and_sd(b);
    const double half = half_width_of_difference({of_a.mean, of_a.sd, 5}, {of_b.mean, of_b.sd, 20});
    if (std::abs(of_a.mean - of_b.mean - .6) <= half) ++covered;
  }
  EXPECT_GE(covered, trials * .95 - 4 * std::sqrt(trials * .95 * .05));
}

}  // namespace
}  // namespace sotto::apps
