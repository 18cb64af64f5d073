#include "sotto/apps/robin/aggregate/rotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sotto::apps {
namespace {

using testing::ElementsAre;
using Numbers = std::vector<std::int64_t>;

TEST(Rotation, KnowsTheHadamardMatrixOfFour) {
  const std::vector<int> signs{1, -1, 1, 1};
  Numbers values{1, 2, 3, 5};
  rotate(values, signs);  // of 1, -2, 3, 5
  EXPECT_THAT(values, ElementsAre(1 - 2 + 3 + 5, 1 + 2 + 3 - 5, 1 - 2 - 3 - 5, 1 + 2 - 3 + 5));
}

// Entry (i, j) is -1 to the number of bits that i and j share (Sylvester).
TEST(Rotation, IsHadamardTimesSigns) {
  Coins coins = Coins::insecure(1);
  constexpr std::size_t padded = 32;
  const std::vector<int> signs = draw_signs(coins, padded);
  for (std::size_t j = 0; j < padded; ++j) {
    Numbers column(padded);
    column[j] = 1;
    rotate(column, signs);
    for (std::size_t i = 0; i < padded; ++i) {
      EXPECT_EQ(column[i], (std::popcount(i & j) % 2 == 0 ? 1 : -1) * signs[j]);
    }
  }
}

RC_GTEST_PROP(Rotation, IsUndoneAndKeepsLengths, (std::uint64_t seed)) {
  const std::size_t padded = std::size_t{1} << *rc::gen::inRange(0, 9);
  const auto values =
      *rc::gen::container<std::vector<std::int32_t>>(padded, rc::gen::arbitrary<std::int32_t>());
  Coins coins = Coins::insecure(seed);
  const std::vector<int> signs = draw_signs(coins, padded);
  Numbers rotated(values.begin(), values.end());
  rotate(rotated, signs);
  __extension__ typedef __int128 Wide;
  Wide before = 0;
  Wide after = 0;
  for (const auto x : values) before += Wide{x} * x;
  for (const auto x : rotated) after += Wide{x} * x;
  RC_ASSERT((after == before * static_cast<std::int64_t>(padded)));
  std::vector<double> back(rotated.begin(), rotated.end());
  rotate_back(back, signs);
  for (std::size_t i = 0; i < padded; ++i) RC_ASSERT(back[i] == static_cast<double>(values[i]));
}

TEST(Rotation, SignsAreFair) {
  Coins coins = Coins::insecure(2);
  const std::vector<int> signs = draw_signs(coins, 1U << 16);
  int sum = 0;
  for (const int sign : signs) {
    ASSERT_TRUE(sign == 1 || sign == -1);
    sum += sign;
  }
  EXPECT_LT(std::abs(sum), 5 * 256);
}

TEST(Rotation, RefusesOtherSizes) {
  Numbers three(3);
  std::vector<double> two(2);
  EXPECT_THROW(rotate(three, std::vector<int>{1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(rotate(three, std::vector<int>{1, 1}), std::invalid_argument);
  EXPECT_THROW(rotate_back(two, std::vector<int>{1, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(rotate_back(std::span<double>(), std::vector<int>{}), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
