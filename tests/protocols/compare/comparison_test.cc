#include "protocols/preprocessing/digit_tables.h"
#include "sotto/protocol/boolean/adder.h"
#include "sotto/protocol/compare/below_zero.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols {
namespace {

unsigned covered(const ComparisonPlan& plan) {
  return std::accumulate(plan.widths.begin(), plan.widths.begin() + plan.digits, 0u);
}

// The smallest number of dealt bits over all ways to cut the remaining `rest` bits into digits. The plan has
// plan.digits digits, and the digits before `next` already have their widths.
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
      EXPECT_EQ(dealt_bits(plan_comparison(bits, result_bits), result_bits), least) << bits << " bits";
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

TEST(ComparisonPlan, WeightsDecideByTheHighestDigitThatDiffers) {
  for (unsigned digits = 1; digits <= ComparisonPlan::most_digits; ++digits) {
    int combinations = 2;
    for (unsigned i = 1; i < digits; ++i) combinations *= 3;
    for (int code = 0; code < combinations; ++code) {
      int rest = code;
      int sum = 0;
      int highest = 0;
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
  // Requests more plans than the planner remembers, each plan twice.
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

namespace sotto::protocols::testing {
namespace {

class Circuit : public ForParties {};
SOTTO_FOR_PARTIES(Circuit);

TEST_P(Circuit, FindsTheSignOnTheWholeRing) {
  for (const unsigned width : {2u, 8u, 29u, 64u}) {
    const Numbers words = test_words(width, 100, width);
    const std::uint64_t rounds = carry_save_levels(GetParam()) + top_bit_rounds(width) + 2;
    const Numbers result = run_and_agree(GetParam(), rounds, [&](Party& party) {
      return result_of(party, below_zero_by_circuit(party, shared_words(party, width, words), 8, "below zero"));
    });
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(result[i], words[i] >> (width - 1));
  }
}

// Computes 2 [x < y] by look-up + [x < y] by circuit, which is 0 or 3 if the two ways agree.
Task<Numbers> both_ways(Party& party, Numbers x_words, Numbers y_words, unsigned k) {
  const Shape shape{1, x_words.size()};
  auto [x, y] = co_await when_all(masked(party, shape, 0, x_words), masked(party, shape, 0, y_words));
  auto [by_look_up, by_circuit] = co_await when_all(
      less_than(party, x, y, k, "look-up"), less_than_by_circuit(party, x.shares(party), y.shares(party), "circuit"));
  co_return co_await opened(party, by_look_up.times(2) + by_circuit);
}

TEST_P(Circuit, AgreesWithTheLookUp) {
  for (const unsigned k : {2u, 9u, 29u, 63u}) {
    const auto [x, y] = words_to_compare(k);
    // The two ways run concurrently, so together they take as many rounds as the longer way.
    const std::uint64_t rounds = 1 + carry_save_levels(GetParam()) + 7 + 1 + 1;
    const Numbers result =
        run_and_agree(GetParam(), rounds, [&x = x, &y = y, k](Party& party) { return both_ways(party, x, y, k); });
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(result[i], as_signed(x[i] - y[i]) < 0 ? 3u : 0u) << k;
    }
  }
}

}  // namespace
}  // namespace sotto::protocols::testing

namespace sotto::protocols {
namespace {

TEST(DigitTables, HoldSignsAndBorrowsForEveryMask) {
  for (const unsigned width : {1u, 2u, 5u, 8u, 9u, 12u}) {
    const std::size_t size = std::size_t{1} << width;
    const std::size_t step = width > 8 ? 37 : 1;  // of 4096 masks, only some are tried
    for (std::size_t m = 0; m < size; m += step) {
      std::vector<std::uint8_t> signs(size), borrows(size);
      std::vector<std::uint64_t> wide(size);
      write_signs(signs.data(), size, m);
      write_borrows(borrows.data(), size, m);
      write_signs(wide.data(), size, m);
      for (std::size_t d = 0; d < size; ++d) {
        const int sign = d > m ? 1 : d < m ? -1 : 0;
        ASSERT_EQ(signs[d], static_cast<std::uint8_t>(sign)) << d << " and " << m;
        ASSERT_EQ(borrows[d], d < m ? 0xff : 0) << d << " and " << m;
        ASSERT_EQ(wide[d] & 0xff, signs[d]);
      }
    }
  }
}

}  // namespace
}  // namespace sotto::protocols
