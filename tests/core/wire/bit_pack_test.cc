#include "core/wire/bit_pack.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/random/prg.h"
#include "core/ring/fixed_point.h"

namespace sotto {
namespace {

using Words = std::vector<std::uint64_t>;

Words random_words(std::size_t count, std::uint64_t seed) {
  Words words(count);
  Prg(Seed::insecure_from_number(seed)).fill(words, 64);
  return words;
}

// The header's definition, a bit at a time.
std::vector<std::byte> pack_by_bits(const Words& lanes, unsigned bits) {
  std::vector<std::byte> out((lanes.size() * bits + 7) / 8);
  for (std::size_t j = 0; j < lanes.size() * bits; ++j) {
    const auto bit = static_cast<unsigned>(lanes[j / bits] >> (j % bits) & 1);
    out[j / 8] |= static_cast<std::byte>(bit << (j % 8));
  }
  return out;
}

void check(std::size_t count, unsigned bits) {
  const Words lanes = random_words(count, bits);  // high bits set: pack must drop them
  const auto expected = pack_by_bits(lanes, bits);
  ASSERT_EQ(packed_bytes(count, bits), expected.size());

  // Exactly as long as it may be, so that a sanitizer sees every access beyond, and with guards for
  // the other builds.
  std::vector<std::byte> guarded(expected.size() + 16, std::byte{0xEE});
  pack(lanes, bits, guarded.data() + 8);
  for (std::size_t i = 0; i < 8; ++i) {
    ASSERT_EQ(guarded[i], std::byte{0xEE});
    ASSERT_EQ(guarded[guarded.size() - 1 - i], std::byte{0xEE}) << count << " lanes of " << bits;
  }
  const auto exact = std::make_unique<std::byte[]>(expected.size());
  pack(lanes, bits, exact.get());
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), exact.get()))
      << count << " lanes of " << bits;
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), guarded.begin() + 8));

  Words back(count + 1, 77);
  unpack(exact.get(), bits, std::span(back).first(count));
  Words sums = random_words(count, 1000);
  const Words before = sums;
  unpack_add(exact.get(), bits, sums);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(back[i], lanes[i] & ring_mask(bits))
        << count << " lanes of " << bits << ", lane " << i;
    ASSERT_EQ(sums[i], (before[i] + lanes[i]) & ring_mask(bits));
  }
  ASSERT_EQ(back[count], 77U);
}

TEST(BitPack, EveryWidthAndSmallCount) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    for (std::size_t count = 0; count <= 70; ++count) ASSERT_NO_FATAL_FAILURE(check(count, bits));
    ASSERT_NO_FATAL_FAILURE(check(1037, bits));
  }
}

TEST(BitPack, KnownAnswers) {
  const Words lanes = {0x5, 0x3, 0x7, 0x0, 0x6};  // 101 011 111 000 110, least significant first
  std::byte out[2] = {};
  pack(lanes, 3, out);
  EXPECT_EQ(out[0], std::byte{0b11'011'101});
  EXPECT_EQ(out[1], std::byte{0b0'110'000'1});
}

RC_GTEST_PROP(BitPackProperty, UnpackInvertsPack, ()) {
  const auto bits = *rc::gen::inRange<unsigned>(1, 65);
  auto lanes = *rc::gen::arbitrary<Words>();
  std::vector<std::byte> bytes(packed_bytes(lanes.size(), bits));
  pack(lanes, bits, bytes.data());
  Words back(lanes.size());
  unpack(bytes.data(), bits, back);
  for (auto& lane : lanes) lane &= ring_mask(bits);
  RC_ASSERT(back == lanes);
}

TEST(BitPack, RefusesBadSizes) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  Words lanes(2);
  std::byte bytes[16] = {};
  EXPECT_THROW((void)packed_bytes(1, 0), std::invalid_argument);
  EXPECT_THROW((void)packed_bytes(1, 65), std::invalid_argument);
  EXPECT_THROW((void)packed_bytes(most, 64), std::invalid_argument);
  EXPECT_THROW((void)packed_bytes(most / 8, 64), std::invalid_argument);
  EXPECT_THROW((void)packed_bytes(most / 2, 3), std::invalid_argument);
  EXPECT_THROW(pack(lanes, 0, bytes), std::invalid_argument);
  EXPECT_THROW(unpack(bytes, 65, lanes), std::invalid_argument);
  EXPECT_THROW(unpack_add(bytes, 65, lanes), std::invalid_argument);
  EXPECT_EQ(packed_bytes(0, 64), 0U);
  EXPECT_EQ(packed_bytes(most / 512, 64), most / 512 * 8);
}

}  // namespace
}  // namespace sotto
