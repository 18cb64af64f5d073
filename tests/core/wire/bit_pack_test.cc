#include "sotto/core/wire/bit_pack.h"

#include "sotto/core/random/prg.h"
#include "sotto/core/ring/choose_table.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/wire/bit_pack_tables.h"
#include "tests/framework.h"

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

class EveryBitPacking : public ::testing::TestWithParam<const BitPacking*> {
 protected:
  void check(std::size_t count, unsigned bits) const;

  const BitPacking& table_ = *GetParam();
};

// Buffers are as long as they may be, for sanitizers, and have guards for the other builds.
void EveryBitPacking::check(std::size_t count, unsigned bits) const {
  const Words source = random_words(count, bits);  // high bits set: pack must drop them
  const auto lanes = std::make_unique<std::uint64_t[]>(count);
  std::copy(source.begin(), source.end(), lanes.get());
  const auto expected = pack_by_bits(source, bits);
  ASSERT_EQ(packed_bytes(count, bits), expected.size());

  std::vector<unsigned char> guarded(expected.size() + 128, 0xEE);
  table_.pack(lanes.get(), count, bits, guarded.data() + 64);
  for (std::size_t i = 0; i < 64; ++i) {
    ASSERT_EQ(guarded[i], 0xEE);
    ASSERT_EQ(guarded[guarded.size() - 1 - i], 0xEE) << count << " lanes of " << bits;
  }
  const auto exact = std::make_unique<unsigned char[]>(expected.size());
  table_.pack(lanes.get(), count, bits, exact.get());
  const auto same = [](unsigned char byte, std::byte other) { return byte == std::to_integer<unsigned char>(other); };
  ASSERT_TRUE(std::equal(exact.get(), exact.get() + expected.size(), expected.begin(), same))
      << count << " lanes of " << bits;
  ASSERT_TRUE(std::equal(exact.get(), exact.get() + expected.size(), guarded.begin() + 64));

  Words back(count + 16, 77);
  table_.unpack(exact.get(), bits, back.data() + 8, count);
  const auto sums = std::make_unique<std::uint64_t[]>(count);
  const Words before = random_words(count, 1000);
  std::copy(before.begin(), before.end(), sums.get());
  table_.unpack_add(exact.get(), bits, sums.get(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(back[8 + i], lanes[i] & ring_mask(bits)) << count << " lanes of " << bits << ", lane " << i;
    ASSERT_EQ(sums[i], (before[i] + lanes[i]) & ring_mask(bits));
  }
  for (std::size_t i = 0; i < 8; ++i) {
    ASSERT_EQ(back[i], 77U);
    ASSERT_EQ(back[count + 8 + i], 77U);
  }
}

TEST_P(EveryBitPacking, EveryWidthAndSmallCount) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    for (std::size_t count = 0; count <= 300; ++count) {
      ASSERT_NO_FATAL_FAILURE(check(count, bits));
    }
    ASSERT_NO_FATAL_FAILURE(check(1037, bits));
  }
}

INSTANTIATE_TEST_SUITE_P(BitPack, EveryBitPacking, ::testing::ValuesIn(available_bit_packings()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST(BitPack, FollowsTheKernels) {
  const auto tables = available_bit_packings();
  EXPECT_STREQ(tables.front()->name, "baseline");
  EXPECT_EQ(&bit_packing(), &table_up_to(kernels().name, tables));
}

TEST(BitPack, KnownAnswers) {
  const Words lanes = {0x5, 0x3, 0x7, 0x0, 0x6};  // 101 011 111 000 110, least significant first
  std::byte out[2] = {};
  pack(lanes, 3, out);
  EXPECT_EQ(out[0], std::byte{0b11'011'101});
  EXPECT_EQ(out[1], std::byte{0b0'110'000'1});
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
