#include "sotto/protocols/compare/comparison_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sotto::protocols {
namespace {

unsigned covered(const ComparisonPlan& plan) {
  return std::accumulate(plan.widths.begin(), plan.widths.begin() + plan.digits, 0u);
}

// The least that any cut of `rest` more bits into plan.digits digits deals; the digits before
// `next` have their widths.
std::size_t least_dealt(ComparisonPlan& plan, unsigned next, unsigned rest, unsigned result_bits) {
  if (next == plan.digits) return rest == 0 ? dealt_bits(plan, result_bits) : ~std::size_t{0};
  std::size_t least = ~std::size_t{0};
  for (unsigned width = 1; width <= std::min(rest, 12u); ++width) {
    plan.widths[next] = static_cast<std::uint8_t>(width);
    least = std::min(least, least_dealt(plan, next + 1, rest - width, result_bits));
  }
  return least;
}

TEST(ComparisonPlan, DealsTheLeastOfAllCuts) {
  for (unsigned bits = 2; bits <= 16; ++bits) {
    for (const unsigned result_bits : {1u, 4u, 64u}) {
      std::size_t least = ~std::size_t{0};
      for (unsigned digits = 1; digits <= ComparisonPlan::most_digits; ++digits) {
        ComparisonPlan tried{bits, digits, {}};
        least = std::min(least, least_dealt(tried, 0, bits - 1, result_bits));
      }
      EXPECT_EQ(dealt_bits(plan_comparison(bits, result_bits), result_bits), least)
          << bits << " bits";
    }
  }
}

TEST(ComparisonPlan, CoversAllBitsAndOpensOneByte) {
  for (unsigned bits = 2; bits <= 63; ++bits) {
    const ComparisonPlan plan = plan_comparison(bits, 64);
    EXPECT_EQ(covered(plan), bits - 1);
    EXPECT_LE(plan.sum_bits(), 8u);
    EXPECT_EQ(plan.bits, bits);
    for (unsigned i = 0; i < plan.digits; ++i) {
      EXPECT_LE(plan.widths[i], 12u);
      EXPECT_GE(plan.widths[i], 1u);
    }
  }
  EXPECT_THROW((void)plan_comparison(1, 64), std::invalid_argument);
  EXPECT_THROW((void)plan_comparison(64, 64), std::invalid_argument);
  EXPECT_THROW((void)plan_comparison(20, 0), std::invalid_argument);
  EXPECT_THROW((void)plan_comparison(20, 65), std::invalid_argument);
}

// Every sum of signs tells the highest digit that differs, and fits its ring.
TEST(ComparisonPlan, WeightsDecideByTheHighestDigitThatDiffers) {
  for (unsigned digits = 1; digits <= ComparisonPlan::most_digits; ++digits) {
    int combinations = 2;
    for (unsigned i = 1; i < digits; ++i) combinations *= 3;
    for (int code = 0; code < combinations; ++code) {
      int rest = code;
      int sum = 0;
      int highest = 0;  // of the signs that differ from zero
      for (unsigned i = 0; i < digits; ++i) {
        const int sign = i == 0 ? -(rest % 2) : rest % 3 - 1;
        rest /= i == 0 ? 2 : 3;
        if (sign != 0) highest = sign;
        sum += sign * (1 << ComparisonPlan::raise(i));
      }
      EXPECT_EQ(sum < 0, highest < 0);
      EXPECT_GE(sum, -(1 << (digits - 1)));
      EXPECT_LT(sum, 1 << (digits - 1));
    }
  }
}

TEST(ComparisonPlan, RemembersPlansThatShareAPlace) {
  // More plans than are remembered, asked for twice.
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned bits = 2; bits <= 63; ++bits) {
      for (unsigned result_bits = 1; result_bits <= 64; result_bits += 9) {
        const ComparisonPlan plan = plan_comparison(bits, result_bits);
        EXPECT_EQ(plan.bits, bits);
        EXPECT_EQ(covered(plan), bits - 1);
      }
    }
  }
}

}  // namespace
}  // namespace sotto::protocols
