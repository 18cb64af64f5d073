#include "sotto/apps/p2b/grid.h"

#include "sotto/apps/kit/data/seeded.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

TEST(P2bGrid, CountsItsPointsExactly) {
  EXPECT_EQ(states(1, 10).text, "92378");
  EXPECT_EQ(states(1, 10).exact, 92378);
  EXPECT_EQ(states(1, 3).text, "66");
  EXPECT_EQ(states(2, 10).text, "4263421511271");
  EXPECT_EQ(states(1, 1).text, "1");
  EXPECT_EQ(states(6, 2).text, "1000001");
  // C(119, 19) from Pascal's triangle by another program.
  EXPECT_EQ(states(2, 20).text, "4910371215196105953021");
  EXPECT_FALSE(states(2, 20).exact);
  EXPECT_NEAR(states(2, 20).value / 4910371215196105953021.0, 1, 1e-15);
}

TEST(P2bGrid, CountsAsManyAsItLists) {
  for (std::size_t d = 1; d <= 6; ++d) {
    const Grid grid(d, 1);
    const std::vector<std::uint32_t> all = grid.all_counts();
    ASSERT_EQ(all.size(), *grid.states().exact * d);
    std::set<std::vector<std::uint32_t>> seen;
    for (std::size_t i = 0; i < all.size() / d; ++i) {
      const std::span<const std::uint32_t> counts = std::span(all).subspan(i * d, d);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 10U);
      EXPECT_EQ(grid.rank(counts), i);
      seen.emplace(counts.begin(), counts.end());
    }
    EXPECT_EQ(seen.size(), *grid.states().exact);
  }
}

TEST(P2bGrid, RefusesWhatIsNoGrid) {
  EXPECT_THROW((void)states(0, 10), InputError);
  EXPECT_THROW((void)states(most_decimals + 1, 10), InputError);
  EXPECT_THROW((void)states(1, 0), InputError);
  EXPECT_THROW(Grid(most_dimension + 1, 1), InputError);
  const Grid large(10, 2);
  EXPECT_FALSE(large.ranked());
  EXPECT_THROW((void)large.all_counts(), std::invalid_argument);
  const Grid small(2, 1);
  EXPECT_THROW((void)small.rank(std::vector<std::uint32_t>{4, 5}), std::invalid_argument);
  EXPECT_THROW((void)small.rank(std::vector<std::uint32_t>{11, 0}), std::invalid_argument);
}

std::vector<double> rounded(std::vector<double> context, unsigned decimals) {
  round_to_grid(context, decimals);
  return context;
}

TEST(P2bGrid, RoundsToTheLargestRemainders) {
  EXPECT_EQ(rounded({0.26, 0.26, 0.48}, 1), (std::vector<double>{0.3, 0.2, 0.5}));
  EXPECT_EQ(rounded({1, 1, 1}, 1), (std::vector<double>{0.4, 0.3, 0.3}));
  EXPECT_EQ(rounded({2, 6}, 1), (std::vector<double>{0.3, 0.7}));
  EXPECT_EQ(rounded({0, 0, 0, 0}, 2), (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(rounded({1e300, 1e300}, 1), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(rounded({1.7e308, 0, 1.7e308, 1.7e308}, 1), (std::vector<double>{0.4, 0, 0.3, 0.3}));
  EXPECT_EQ(rounded({5e-324, 0}, 1), (std::vector<double>{1, 0}));
  EXPECT_EQ(rounded({5e-324, 2e-323}, 1), (std::vector<double>{0.2, 0.8}));
}

TEST(P2bGrid, TakesNegativeFeaturesAsZeroAndCountsThem) {
  std::vector<double> context{-1, 0.5, -0.0, 0.5};
  EXPECT_EQ(round_to_grid(context, 1), 1U);
  EXPECT_EQ(context, (std::vector<double>{0, 0.5, 0, 0.5}));
  context = {std::nan(""), 1};
  EXPECT_THROW(round_to_grid(context, 1), InputError);
  context = {std::numeric_limits<double>::infinity(), 1};
  EXPECT_THROW(round_to_grid(context, 1), InputError);
}

RC_GTEST_PROP(P2bGrid, RoundingKeepsTheSumAndIsNear, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 100);
  const auto decimals = *rc::gen::inRange(1U, most_decimals + 1);
  SeededDraws draws(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<double> context(d);
  for (double& value : context) value = draws.below(3) == 0 ? 0 : draws.unit();
  context[draws.below(d)] += 0.1;
  const double sum = std::accumulate(context.begin(), context.end(), 0.0);
  std::vector<std::uint32_t> counts(d);
  to_counts(context, decimals, counts);
  const double units = grid_units(decimals);
  RC_ASSERT(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == grid_units(decimals));
  for (std::size_t i = 0; i < d; ++i) {
    RC_ASSERT(std::abs(counts[i] - context[i] / sum * units) < 1 + 1e-6);
  }
  // A point of the grid stays where it is.
  std::vector<double> point(context);
  round_to_grid(point, decimals);
  std::vector<double> again(point);
  round_to_grid(again, decimals);
  RC_ASSERT(again == point);
}

TEST(P2bGrid, DrawsUniformPointsStatistical) {
  const Grid grid(4, 1);  // 286 points
  SeededDraws draws(1);
  std::vector<double> seen(*grid.states().exact);
  std::vector<std::uint32_t> counts(4);
  constexpr int samples = 200'000;
  for (int i = 0; i < samples; ++i) {
    grid.draw(draws, counts);
    seen[grid.rank(counts)] += 1;
  }
  const double expected = samples / static_cast<double>(seen.size());
  double chi = 0;
  for (const double n : seen) chi += (n - expected) * (n - expected) / expected;
  EXPECT_LT(chi, 285 + 6 * std::sqrt(2 * 285.0));
}

}  // namespace
}  // namespace sotto::apps
