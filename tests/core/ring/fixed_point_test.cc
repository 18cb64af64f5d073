#include "sotto/protocol/ring/fixed_point.h"

#include "tests/properties.h"

namespace sotto {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

TEST(FixedPoint, KnownAnswers) {
  EXPECT_EQ(encode(0.0, 20), 0U);
  EXPECT_EQ(encode(-0.0, 20), 0U);
  EXPECT_EQ(encode(1.0, 20), 1U << 20);
  EXPECT_EQ(encode(-1.0, 20), ~std::uint64_t{0} - (1U << 20) + 1);
  EXPECT_EQ(encode(0.5, 0), 1U);
  EXPECT_EQ(encode(-0.5, 0), ~std::uint64_t{0});
  EXPECT_EQ(encode(0.49, 0), 0U);
  EXPECT_EQ(encode(0x1p-63, 63), 1U);
  EXPECT_EQ(decode(~std::uint64_t{0}, 1), -0.5);
  EXPECT_EQ(decode(std::uint64_t{3} << 19, 20), 1.5);
  EXPECT_EQ(to_signed(std::uint64_t{1} << 63), std::numeric_limits<std::int64_t>::min());
}

TEST(FixedPoint, EdgesOfTheRange) {
  EXPECT_EQ(encode(-0x1p63, 0), std::uint64_t{1} << 63);
  EXPECT_EQ(encode(-0x1p43, 20), std::uint64_t{1} << 63);
  EXPECT_EQ(encode(std::nextafter(0x1p63, 0.0), 0), (std::uint64_t{1} << 63) - 1024);
  EXPECT_EQ(decode(std::uint64_t{1} << 63, 20), -0x1p43);
  for (const double bad : {0x1p63, 0x1p64, -0x1.0000000000001p63, infinity, -infinity, nan_value, 1e308}) {
    EXPECT_THROW((void)encode(bad, 0), std::invalid_argument) << bad;
    EXPECT_THROW((void)encode(bad, 20), std::invalid_argument) << bad;
    EXPECT_THROW((void)encode_unbiased(bad, 20, 0.5), std::invalid_argument) << bad;
  }
  EXPECT_THROW((void)encode(0x1p43, 20), std::invalid_argument);
  EXPECT_THROW((void)encode(0.0, 64), std::invalid_argument);
  EXPECT_THROW((void)decode(0, 64), std::invalid_argument);
}

TEST(FixedPoint, RingMask) {
  EXPECT_EQ(ring_mask(1), 1U);
  EXPECT_EQ(ring_mask(43), (std::uint64_t{1} << 43) - 1);
  EXPECT_EQ(ring_mask(64), ~std::uint64_t{0});
  EXPECT_THROW((void)ring_mask(0), std::invalid_argument);
  EXPECT_THROW((void)ring_mask(65), std::invalid_argument);
}

TEST(FixedPoint, UnbiasedRoundsUpExactlyWhenTheDrawSaysSo) {
  EXPECT_EQ(encode_unbiased(0.25, 0, 0.74), 0U);
  EXPECT_EQ(encode_unbiased(0.25, 0, 0.75), 1U);
  EXPECT_EQ(to_signed(encode_unbiased(-0.25, 0, 0.24)), -1);
  EXPECT_EQ(to_signed(encode_unbiased(-0.25, 0, 0.25)), 0);
  EXPECT_EQ(encode_unbiased(3.0, 0, std::nextafter(1.0, 0.0)), 3U);
  EXPECT_EQ(encode_unbiased(1.0, 20, 0.0), 1U << 20);
  for (const double bad : {-0.1, 1.0, 2.0, nan_value}) {
    EXPECT_THROW((void)encode_unbiased(0.5, 0, bad), std::invalid_argument) << bad;
  }
}

// The mean over evenly spaced draws is the value.
TEST(FixedPoint, UnbiasedHasTheRightMean) {
  for (const double value : {0.3, -0.3, 17.77, -123.456, 0.999}) {
    constexpr int draws = 10000;
    double sum = 0;
    for (int i = 0; i < draws; ++i) sum += decode(encode_unbiased(value, 3, (i + 0.5) / draws), 3);
    EXPECT_NEAR(sum / draws, value, 1.0 / draws);
  }
}

PROPERTY(FixedPointProperty, RoundTripIsWithinHalfAUnit) {
  const auto fraction_bits = draw_in_range<unsigned>(0, 41);
  const double value = draw_in_range<std::int64_t>(-(1LL << 52), 1LL << 52) * 0x1p-31;
  const double back = decode(encode(value, fraction_bits), fraction_bits);
  HOLDS(std::abs(back - value) <= std::ldexp(0.5, -static_cast<int>(fraction_bits)));
}

PROPERTY(FixedPointProperty, WordsOf53BitsComeBack) {
  const auto fraction_bits = draw_in_range<unsigned>(0, 64);
  const auto word = static_cast<std::uint64_t>(draw_in_range<std::int64_t>(-(1LL << 53), 1LL << 53));
  HOLDS(encode(decode(word, fraction_bits), fraction_bits) == word);
}

}  // namespace
}  // namespace sotto
