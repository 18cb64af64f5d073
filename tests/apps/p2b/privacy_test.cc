#include "apps/p2b/privacy.h"
#include "tests/apps/support.h"

namespace sotto::apps::p2b {
namespace {

std::vector<double> binomial(std::size_t n, double p) {
  std::vector<double> table{1};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> next(table.size() + 1);
    for (std::size_t y = 0; y < table.size(); ++y) {
      next[y] += (1 - p) * table[y];
      next[y + 1] += p * table[y];
    }
    table = std::move(next);
  }
  return table;
}

// Returns the distribution of the released count, which is 0 if the true count is below the threshold. `counts` is the
// distribution of the true count.
std::vector<double> released(const std::vector<double>& counts, std::size_t threshold) {
  std::vector<double> table(counts.size() + 1);
  for (std::size_t y = 0; y < counts.size(); ++y) table[y >= threshold ? y : 0] += counts[y];
  return table;
}

double hockey_stick(const std::vector<double>& first, const std::vector<double>& second, double epsilon) {
  double sum = 0;
  for (std::size_t y = 0; y < first.size(); ++y) {
    const double other = y < second.size() ? second[y] : 0;
    sum += std::max(0.0, first[y] - std::exp(epsilon) * other);
  }
  return sum;
}

TEST(P2bPrivacy, EpsilonOfThePaper) {
  EXPECT_DOUBLE_EQ(report_epsilon(0.5), std::log(2));
  EXPECT_NEAR(report_epsilon(0.1), 0.105, 5e-4);
  EXPECT_NEAR(report_epsilon(0.25), 0.288, 5e-4);
  EXPECT_NEAR(report_epsilon(0.75), 1.386, 5e-4);
  EXPECT_NEAR(report_epsilon(0.9), 2.303, 5e-4);
  for (const double p : {0.001, 0.2, 0.6, 0.99}) {
    EXPECT_NEAR(report_epsilon(p), std::log(p * (2 - p) / (1 - p) + (1 - p)), 1e-12);
  }
}

TEST(P2bPrivacy, DeltaIsTheWorstCrowdOfAllStatistical) {
  for (const double p : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    for (const std::size_t threshold : {1U, 2U, 5U, 10U, 20U}) {
      double worst = 0;
      const std::size_t most = 400;
      for (std::size_t others = 0; others < most; ++others) {
        const auto without = released(binomial(others, p), threshold);
        const auto with = released(binomial(others + 1, p), threshold);
        worst = std::max(worst, hockey_stick(with, without, report_epsilon(p)));
        EXPECT_LT(hockey_stick(without, with, report_epsilon(p)), 1e-12);
      }
      const CrowdDelta found = worst_crowd(p, threshold);
      EXPECT_NEAR(found.delta, worst, 1e-12 + 1e-9 * worst) << p << " " << threshold;
      const auto without = released(binomial(found.crowd, p), threshold);
      const auto with = released(binomial(found.crowd + 1, p), threshold);
      EXPECT_NEAR(found.delta, hockey_stick(with, without, report_epsilon(p)), 1e-12 + 1e-9 * worst);
    }
  }
}

TEST(P2bPrivacy, KnownDeltas) {
  EXPECT_EQ(report_delta(0.5, 10), 0.007568359375);  // 31 / 4096, reached by a crowd of 12
  EXPECT_EQ(worst_crowd(0.5, 10).crowd, 12U);
  EXPECT_DOUBLE_EQ(report_delta(0.3, 1), 0.3);  // a lone user is seen whenever it reports
}

TEST(P2bPrivacy, DeltaFallsWithTheThreshold) {
  for (const double p : {1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999999}) {
    double before = 1;
    for (std::size_t threshold = 1; threshold < 200; threshold += 7) {
      const double delta = report_delta(p, threshold);
      EXPECT_GT(delta, 0);
      EXPECT_LT(delta, before) << p << " " << threshold;
      before = delta;
    }
  }
  EXPECT_LT(report_delta(0.5, 1000), 1e-79);
}

// Above a certain threshold, the program no longer sums binomials. For thresholds below and above that one, the test
// compares delta with a value from the C library's log-gamma function.
TEST(P2bPrivacy, LargeThresholdsGoOnWhereSmallOnesEnd) {
  for (const double p : {1e-9, 0.1, 0.5, 0.9}) {
    for (const std::size_t threshold : {500U, 995U, 998U, 1001U, 1004U, 1100U}) {
      const CrowdDelta found = worst_crowd(p, threshold);
      const auto m = static_cast<double>(found.crowd);
      const auto t = static_cast<double>(threshold);
      // The probability that exactly t-1 of m users report, each with probability p.
      const double at = std::exp(std::lgamma(m + 1) - std::lgamma(t) - std::lgamma(m - t + 2) + (t - 1) * std::log(p) +
                                 (m - t + 1) * std::log1p(-p));
      EXPECT_GT(found.delta, 0);
      if (p < 1e-6) continue;  // for so large a crowd, lgamma has no correct digits left
      EXPECT_LT(found.delta, p * at * (1 + 1e-9)) << p << " " << threshold;
      double tail = 0;
      double term = at;
      for (double y = t; y <= m; ++y) {
        term *= (m - y + 1) / y * p / (1 - p);
        tail += term;
      }
      EXPECT_NEAR(found.delta / (p * (at - tail / (1 - p))), 1, 1e-6) << p << " " << threshold;
    }
  }
  // For huge crowds, delta falls at the same rate on both sides of the threshold at which the program changes its
  // method.
  for (const double p : {1e-9, 1e-3}) {
    const double before = std::log(report_delta(p, 996) / report_delta(p, 998));
    const double across = std::log(report_delta(p, 1000) / report_delta(p, 1002));
    EXPECT_NEAR(before, across, 1e-3) << p;
  }
}

TEST(P2bPrivacy, DeltaIsNeverZero) {
  for (const double p : {1e-300, 1e-9, 0.1, 0.5, 0.9, 0.999}) {
    const CrowdDelta found = worst_crowd(p, most_threshold);
    EXPECT_EQ(found.delta, std::numeric_limits<double>::min()) << p;
    EXPECT_GE(found.crowd, most_threshold);
    EXPECT_EQ(delta_text(found.delta, 3), "< 1e-300");
  }
  // The worst crowd has about (l-1) / (p (2-p)) users, where l is the threshold and p the probability of a report.
  EXPECT_NEAR(static_cast<double>(worst_crowd(0.5, 100'000).crowd), 133'332, 4);
  EXPECT_NEAR(report_delta(0.999999, most_threshold), std::exp(-1.0), 1e-5);
  EXPECT_EQ(delta_text(0.007568359375, 6), "0.00756836");
  EXPECT_EQ(delta_text(1e-299, 3), "1e-299");
}

TEST(P2bPrivacy, RefusesWhatIsNoProbability) {
  for (const double p : {0.0, 1.0, -0.5, 1.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)report_epsilon(p), InputError);
    EXPECT_THROW((void)report_delta(p, 10), InputError);
  }
  EXPECT_THROW((void)report_delta(0.5, 0), InputError);
  EXPECT_THROW((void)report_delta(0.5, most_threshold + 1), InputError);
}

}  // namespace
}  // namespace sotto::apps::p2b
