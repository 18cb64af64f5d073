#include "sotto/apps/o3m/masking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "sotto/apps/o3m/orthogonal.h"
#include "sotto/core/random/seed.h"
#include "sotto/core/ring/fixed_point.h"
#include "tests/apps/kit/learn/samples.h"

namespace sotto::apps {
namespace {

std::vector<double> some_mask(std::size_t d) {
  return random_orthogonal(d, Seed::insecure_from_number(d));
}

TEST(MaskBlock, IsColumnsOfTheMask) {
  const std::vector<double> mask = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(block_of(mask, 3, 1, 2).values, (std::vector<double>{2, 3, 5, 6, 8, 9}));
  EXPECT_EQ(block_of(mask, 3, 0, 3).values, mask);
  EXPECT_THROW((void)block_of(mask, 3, 2, 2), std::invalid_argument);
  EXPECT_THROW((void)block_of(mask, 2, 0, 1), std::invalid_argument);
}

TEST(MaskBlock, IsOrthonormalOrHowFarFromIt) {
  MaskBlock block = block_of(some_mask(12), 12, 3, 5);
  EXPECT_LT(distance_from_orthonormal(block), 1e-14);
  block.values[7] += 0.25;
  EXPECT_GT(distance_from_orthonormal(block), 0.05);
  block.values[7] = std::nan("");
  EXPECT_FALSE(distance_from_orthonormal(block) < 1e300);
}

TEST(BlockMask, MultipliesRowsByTheBlock) {
  for (const std::size_t d : {1u, 5u, 8u, 19u}) {
    for (std::size_t columns = 1; columns <= d; columns += 3) {
      const MaskBlock block = block_of(some_mask(d), d, d - columns, columns);
      const BlockMask mask(block);
      for (const std::size_t rows : {0u, 1u, 7u, 30u}) {
        StepStream stream(d, rows);
        const std::vector<double> x = testing::directions(stream, rows, columns);
        std::vector<double> masked(rows * d);
        mask.apply(x, masked);
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t i = 0; i < d; ++i) {
            ASSERT_NEAR(
                masked[r * d + i],
                testing::dot(block.values.data() + i * columns, x.data() + r * columns, columns),
                1e-14);
          }
        }
        std::vector<double> once(rows * d);
        mask_contexts(block, x, once);
        EXPECT_EQ(once, masked);
      }
    }
  }
}

// The blocks' parts add up to Q x, and keep its norm.
TEST(BlockMask, PartsOfAllParticipantsAddUpToTheMaskedContext) {
  constexpr std::size_t d = 9;
  const std::vector<double> q = some_mask(d);
  StepStream stream(4, 4);
  const std::vector<double> x = testing::directions(stream, 1, d);
  std::vector<double> sum(d);
  std::size_t first = 0;
  for (const std::size_t columns : {2u, 4u, 3u}) {
    std::vector<double> part(d);
    BlockMask(block_of(q, d, first, columns)).apply(std::span(x).subspan(first, columns), part);
    for (std::size_t i = 0; i < d; ++i) sum[i] += part[i];
    first += columns;
  }
  const std::vector<double> expected = testing::times(x, q, d);
  for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(sum[i], expected[i], 1e-14);
  EXPECT_NEAR(testing::dot(sum.data(), sum.data(), d), testing::dot(x.data(), x.data(), d), 1e-13);
}

TEST(BlockMask, RefusesWhatDoesNotFit) {
  const BlockMask mask(block_of(some_mask(5), 5, 0, 2));
  std::vector<double> masked(10);
  EXPECT_NO_THROW(mask.apply(std::vector<double>(4), masked));
  EXPECT_THROW(mask.apply(std::vector<double>(3), masked), std::invalid_argument);
  EXPECT_THROW(mask.apply(std::vector<double>(6), masked), std::invalid_argument);
  EXPECT_THROW(mask.apply(std::vector<double>(2), masked), std::invalid_argument);
  const BlockMask nothing{MaskBlock{}};
  EXPECT_NO_THROW(nothing.apply({}, {}));
  EXPECT_THROW(nothing.apply(std::vector<double>(1), {}), std::invalid_argument);
}

// Halves may go to either side, and do: they are frequent near the last bit of a double.
TEST(FixedPoint, IsTheNearestAndThatOfASingleNumber) {
  for (const unsigned bits : {43u, 50u, 52u}) {
    StepStream stream(bits, 0);
    const std::vector<double> values = testing::normals(stream, 500);
    std::vector<std::uint64_t> words(values.size());
    to_fixed(values, bits, words);
    std::vector<double> back(values.size());
    from_fixed(words, bits, back);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_LE(std::abs(to_signed(words[i] - encode(values[i], bits))), 1);
      EXPECT_EQ(back[i], decode(words[i], bits));
      EXPECT_LE(std::abs(back[i] - values[i]), std::ldexp(1, -static_cast<int>(bits) - 1));
    }
  }
}

TEST(FixedPoint, ReachesTheBoundsOfASum) {
  const double most = std::ldexp(1, 62 - 43);
  const std::vector<double> values = {
      most, -most, 0, -0.0, std::ldexp(1, -43), -std::ldexp(1, -43)};
  std::vector<std::uint64_t> words(values.size());
  to_fixed(values, 43, words);
  EXPECT_EQ(words[0], std::uint64_t{1} << 62);
  EXPECT_EQ(words[1], 0 - (std::uint64_t{1} << 62));
  EXPECT_EQ(words[3], 0u);
  EXPECT_EQ(words[5], ~std::uint64_t{0});
  std::vector<double> back(values.size());
  from_fixed(words, 43, back);
  EXPECT_EQ(back, values);
}

}  // namespace
}  // namespace sotto::apps
