#include "sotto/bench/lab/p2b/stream.h"

#include <gtest/gtest.h>

#include <set>

namespace sotto::apps {
namespace {

TEST(Stream, FollowsFromItsKeyAlone) {
  Stream a({1, 2, 3}), b({1, 2, 3});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  std::set<std::uint64_t> firsts;
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (std::uint64_t j = 0; j < 50; ++j) firsts.insert(Stream({7, i, j}).next());
  }
  EXPECT_EQ(firsts.size(), 2500u) << "other keys, other streams";
  EXPECT_NE(Stream({1, 2}).next(), Stream({2, 1}).next());
}

TEST(Stream, StaysWithinItsBounds) {
  Stream stream({5});
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(stream.below(1), 0u);
    seen.insert(stream.below(7));
    const double unit = stream.unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
    EXPECT_LT(stream.below(UINT64_MAX), UINT64_MAX);
  }
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(StreamStatistical, HasTheMomentsOfItsDistributions) {
  Stream stream({9});
  constexpr int n = 200'000;
  double unit = 0, normal = 0, squares = 0, fourths = 0;
  for (int i = 0; i < n; ++i) {
    unit += stream.unit() / n;
    const double x = stream.normal();
    normal += x / n;
    squares += x * x / n;
    fourths += x * x * x * x / n;
  }
  EXPECT_NEAR(unit, .5, 5 * .2887 / std::sqrt(n));
  EXPECT_NEAR(normal, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourths, 3, 5 * std::sqrt(96.0 / n));
}

}  // namespace
}  // namespace sotto::apps
