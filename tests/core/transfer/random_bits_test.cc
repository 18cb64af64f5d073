// Random transfers of bits, and the triples that two of them make.
#include "core/transfer/random_bits.h"

#include "tests/core/transfer/two_sides.h"
#include "tests/framework.h"

namespace sotto {
namespace {

using Words = std::vector<std::uint64_t>;
using Bytes = std::vector<std::byte>;

struct Bits {
  Words choices, chosen, zero, one;
};

Bits play(testing::TwoSides& sides, std::size_t words, std::uint64_t seed) {
  Bits bits{testing::random_words(words, seed), Words(words), Words(words), Words(words)};
  Bytes message(extension_bytes(sides.sender.k(), bits_in_words(words)));
  receive_bits(sides.receiver, bits.choices, bits.chosen, message);
  send_bits(sides.sender, message, bits.zero, bits.one);
  return bits;
}

TEST(RandomBits, AreTheChosenOnes) {
  for (const unsigned k : {2U, 4U, 8U}) {
    testing::TwoSides sides = testing::set_up(k);
    for (const std::size_t words : {0, 1, 127, 128, 129, 300}) {
      const Bits bits = play(sides, words, words);
      for (std::size_t i = 0; i < words; ++i) {
        EXPECT_EQ(bits.chosen[i], (bits.zero[i] & ~bits.choices[i]) | (bits.one[i] & bits.choices[i])) << k << " " << i;
      }
    }
  }
}

TEST(RandomBits, OfBothWaysMakeTriples) {
  testing::TwoSides there = testing::set_up(4);
  testing::TwoSides back = testing::set_up(4);
  const Bits from_0 = play(there, 100, 1);
  const Bits from_1 = play(back, 100, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    const std::uint64_t c0 = triple_share(from_1.choices[i], from_1.chosen[i], from_0.zero[i], from_0.one[i]);
    const std::uint64_t c1 = triple_share(from_0.choices[i], from_0.chosen[i], from_1.zero[i], from_1.one[i]);
    const std::uint64_t a = from_0.choices[i] ^ from_1.choices[i];
    const std::uint64_t b = from_0.zero[i] ^ from_0.one[i] ^ from_1.zero[i] ^ from_1.one[i];
    ASSERT_EQ(c0 ^ c1, a & b) << i;
  }
}

TEST(RandomBits, RefuseWhatDoesNotFit) {
  testing::TwoSides sides = testing::set_up(4);
  Words two(2);
  Words three(3);
  Bytes message(extension_bytes(4, 128));
  Bytes longer(message.size() + 1);
  EXPECT_THROW(receive_bits(sides.receiver, two, three, message), std::invalid_argument);
  EXPECT_THROW(receive_bits(sides.receiver, two, two, longer), std::invalid_argument);
  EXPECT_THROW(send_bits(sides.sender, message, two, three), std::invalid_argument);
  EXPECT_THROW(send_bits(sides.sender, longer, two, two), std::invalid_argument);
}

// Of what one side does not know each bit is a fair coin: within 5 standard deviations.
TEST(RandomBitsStatistical, AreBalanced) {
  testing::TwoSides sides = testing::set_up(8);
  constexpr std::size_t words = 1 << 12;
  const Bits bits = play(sides, words, 3);
  std::int64_t chosen = 0;
  std::int64_t other = 0;
  for (std::size_t i = 0; i < words; ++i) {
    chosen += std::popcount(bits.chosen[i]);
    other += std::popcount(bits.chosen[i] ^ bits.zero[i] ^ bits.one[i]);
  }
  for (const std::int64_t ones : {chosen, other}) {
    EXPECT_LT(std::abs(2 * ones - static_cast<std::int64_t>(64 * words)), 5 * 512);
  }
}

}  // namespace
}  // namespace sotto
