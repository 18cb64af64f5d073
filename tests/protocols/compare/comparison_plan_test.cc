#include "protocols/compare/comparison_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sotto::protocols {
namespace {

// The least that any cut of `rest` bits into at most `blocks` digits deals.
std::size_t least_dealt(ComparisonPlan& plan, unsigned rest, unsigned blocks,
                        unsigned result_bits) {
  if (rest == 0) return dealt_bits(plan, result_bits);
  std::size_t least = ~std::size_t{0};
  if (blocks == 0) return least;
  for (unsigned width = 1; width <= std::min(rest, 12u); ++width) {
    plan.blocks.push_back(width);
    least = std::min(least, least_dealt(plan, rest - width, blocks - 1, result_bits));
    plan.blocks.pop_back();
  }
  return least;
}

TEST(ComparisonPlan, DealsTheLeastOfAllCuts) {
  for (unsigned bits = 2; bits <= 16; ++bits) {
    for (const unsigned result_bits : {1u, 4u, 64u}) {
      ComparisonPlan tried{bits, {}};
      EXPECT_EQ(dealt_bits(plan_comparison(bits, result_bits), result_bits),
                least_dealt(tried, bits - 1, 7, result_bits))
          << bits << " bits";
    }
  }
}

TEST(ComparisonPlan, CoversAllBitsAndOpensOneByte) {
  for (unsigned bits = 2; bits <= 63; ++bits) {
    const ComparisonPlan plan = plan_comparison(bits, 64);
    EXPECT_EQ(std::accumulate(plan.blocks.begin(), plan.blocks.end(), 0u), bits - 1);
    EXPECT_LE(plan.sum_bits(), 8u);
    EXPECT_EQ(plan.bits, bits);
    for (const unsigned width : plan.blocks) EXPECT_LE(width, 12u);
  }
  EXPECT_THROW((void)plan_comparison(1, 64), std::invalid_argument);
  EXPECT_THROW((void)plan_comparison(64, 64), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols
