#include "core/ring/kernels.h"
#include "core/wire/bit_pack.h"
#include "core/wire/bit_pack_tables.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/wire/frame.h"
#include "sotto/protocol/wire/hash.h"
#include "sotto/protocol/wire/label.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using HeaderBytes = std::array<std::byte, FrameHeader::size>;

TEST(Frame, HasTheDocumentedLayout) {
  HeaderBytes bytes;
  const FrameHeader header{0x01020304, FrameType::failed, 0x1112131415161718, 0x2122232425262728};
  write_header(header, bytes);
  const unsigned char expected[] = {4,    3,    2,    1,    5,    0,    0,    0,    0x18, 0x17, 0x16, 0x15,
                                    0x14, 0x13, 0x12, 0x11, 0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]) << i;
  }
}

PROPERTY(Frame, ComesBackAsItWas) {
  const auto length = draw<std::uint32_t>();
  const auto type = draw<std::uint16_t>();
  const auto round = draw<std::uint64_t>();
  const auto digest = draw<std::uint64_t>();
  const FrameHeader header{length, static_cast<FrameType>(type), round, digest};
  HeaderBytes bytes;
  write_header(header, bytes);
  FrameHeader read;
  HOLDS(read_header(bytes, read));
  HOLDS(read == header);
}

TEST(Frame, IsRefusedWhereTheZerosAreNot) {
  HeaderBytes bytes;
  write_header(FrameHeader{}, bytes);
  FrameHeader read;
  for (const std::size_t at : {6u, 7u}) {
    HeaderBytes damaged = bytes;
    damaged[at] = std::byte{1};
    EXPECT_FALSE(read_header(damaged, read));
  }
}

TEST(Label, HashesItsText) {
  constexpr Label scores("scores");
  constexpr Label wins("wins");
  static_assert(scores.hash() != wins.hash());
  EXPECT_EQ(scores.text(), "scores");
  EXPECT_EQ(Label("").hash(), 0xcbf29ce484222325u);   // FNV-1a of no bytes
  EXPECT_EQ(Label("a").hash(), 0xaf63dc4c8601ec8cu);  // a published test vector of FNV-1a
}

TEST(Hex, IsTwoLowerCaseDigitsAByte) {
  EXPECT_EQ(hex({}), "");
  const std::array bytes{std::byte{0}, std::byte{0x0f}, std::byte{0xa0}, std::byte{0xff}};
  EXPECT_EQ(hex(bytes), "000fa0ff");
}

TEST(ByteLanes, PackAsWordsDo) {
  for (std::size_t count = 0; count < 100; ++count) {
    std::vector<std::uint8_t> lanes(count);
    for (std::size_t i = 0; i < count; ++i) lanes[i] = static_cast<std::uint8_t>(i * 37 + 11);
    const std::vector<std::uint64_t> words(lanes.begin(), lanes.end());
    for (unsigned bits = 1; bits <= 8; ++bits) {
      const std::size_t bytes = packed_bytes(count, bits);
      std::vector<std::byte> expected(bytes + 8, std::byte{0xa5});
      std::vector<std::byte> packed = expected;
      pack(words, bits, expected.data());
      pack_bytes(lanes, bits, packed.data());
      EXPECT_EQ(packed, expected) << count << " lanes of " << bits << " bits";
      for (std::size_t i = bytes; i < bytes + 8; ++i) EXPECT_EQ(packed[i], std::byte{0xa5});

      std::vector<std::uint64_t> low(count);
      unpack(packed.data(), bits, low);
      std::vector<std::uint8_t> read(count + 8, 0xa5);
      const std::vector<std::byte> exact(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(bytes));
      unpack_bytes(exact.data(), bits, std::span(read).first(count));
      EXPECT_EQ(std::vector<std::uint64_t>(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(count)), low);
      for (std::size_t i = count; i < count + 8; ++i) EXPECT_EQ(read[i], 0xa5);
    }
  }
}

TEST(ByteLanes, SingleLanesAreThoseThatUnpackGives) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 65u}) {
      std::vector<std::byte> packed(packed_bytes(count, bits));
      for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::byte>(i * 151 + bits);
      std::vector<std::uint64_t> lanes(count);
      unpack(packed.data(), bits, lanes);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(packed_lane(packed, bits, i), lanes[i]) << bits << " bits, lane " << i;
      }
    }
  }
}

TEST(ByteLanes, OtherWidthsAreRefused) {
  const std::vector<std::uint8_t> lanes(1);
  std::byte out[2] = {};
  EXPECT_THROW(pack_bytes(lanes, 0, out), std::invalid_argument);
  EXPECT_THROW(pack_bytes(lanes, 9, out), std::invalid_argument);
  std::vector<std::uint8_t> read(1);
  EXPECT_THROW(unpack_bytes(out, 0, read), std::invalid_argument);
  EXPECT_THROW(unpack_bytes(out, 9, read), std::invalid_argument);
}

using Numbers = std::vector<std::uint64_t>;

Numbers random_words(std::size_t count, std::uint64_t seed) {
  Numbers words(count);
  Prg(Seed::insecure_from_number(seed)).fill(words, 64);
  return words;
}

// Packs as the header defines, one bit at a time.
std::vector<std::byte> pack_by_bits(const Numbers& lanes, unsigned bits) {
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

// Buffers have exactly the allowed length. Sanitizers or the guards find accesses beyond the end.
void EveryBitPacking::check(std::size_t count, unsigned bits) const {
  const Numbers source = random_words(count, bits);
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

  Numbers back(count + 16, 77);
  table_.unpack(exact.get(), bits, back.data() + 8, count);
  const auto sums = std::make_unique<std::uint64_t[]>(count);
  const Numbers before = random_words(count, 1000);
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
  EXPECT_EQ(&bit_packing(), &table_up_to(kernels().companion, tables));
}

TEST(BitPack, KnownAnswers) {
  const Numbers lanes = {0x5, 0x3, 0x7, 0x0, 0x6};  // 101 011 111 000 110, least significant first
  std::byte out[2] = {};
  pack(lanes, 3, out);
  EXPECT_EQ(out[0], std::byte{0b11'011'101});
  EXPECT_EQ(out[1], std::byte{0b0'110'000'1});
}

TEST(BitPack, RefusesBadSizes) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  Numbers lanes(2);
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

// The expected digest is the first half of the digest in RFC 7693, appendix A.
TEST(RunningHash, IsBlake2b) {
  const std::string text = "abc";
  const auto bytes = std::as_bytes(std::span(text));
  RunningHash whole;
  whole.add(bytes);
  EXPECT_EQ(hex(whole.finish()), "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1");
  RunningHash pieces;
  pieces.add(bytes.first(1));
  pieces.add({});
  pieces.add(bytes.subspan(1));
  EXPECT_EQ(hex(pieces.finish()), "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1");
}

TEST(Hex, IsOfLowerCaseDigitsInTheirNumber) {
  EXPECT_TRUE(is_hex("0123456789abcdef", 16));
  EXPECT_TRUE(is_hex("", 0));
  for (const char* const wrong : {"", "0", "000", "0g", "0A", "-1", "0 "}) EXPECT_FALSE(is_hex(wrong, 2)) << wrong;
  EXPECT_FALSE(is_hex(std::string_view("0\0", 2), 2));
}

}  // namespace

}  // namespace sotto
