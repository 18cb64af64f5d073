#include "sotto/core/wire/bit_pack.h"
#include "sotto/core/wire/frame.h"
#include "sotto/core/wire/hex.h"
#include "sotto/core/wire/label.h"
#include "tests/properties.h"

namespace sotto {
namespace {

using Bytes = std::array<std::byte, FrameHeader::size>;

TEST(Frame, HasTheDocumentedLayout) {
  Bytes bytes;
  const FrameHeader header{0x01020304, FrameType::failed, 0x1112131415161718, 0x2122232425262728};
  write_header(header, bytes);
  const unsigned char expected[] = {4,    3,    2,    1,    5,    0,    0,    0,    0x18, 0x17, 0x16, 0x15,
                                    0x14, 0x13, 0x12, 0x11, 0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]) << i;
  }
}

RC_GTEST_PROP(Frame, ComesBackAsItWas,
              (std::uint32_t length, std::uint16_t type, std::uint64_t round, std::uint64_t digest)) {
  const FrameHeader header{length, static_cast<FrameType>(type), round, digest};
  Bytes bytes;
  write_header(header, bytes);
  FrameHeader read;
  RC_ASSERT(read_header(bytes, read));
  RC_ASSERT(read == header);
}

TEST(Frame, IsRefusedWhereTheZerosAreNot) {
  Bytes bytes;
  write_header(FrameHeader{}, bytes);
  FrameHeader read;
  for (const std::size_t at : {6u, 7u}) {
    Bytes damaged = bytes;
    damaged[at] = std::byte{1};
    EXPECT_FALSE(read_header(damaged, read));
  }
}

TEST(Label, HashesItsText) {
  constexpr Label scores("scores");
  constexpr Label wins("wins");
  static_assert(scores.hash() != wins.hash());
  EXPECT_EQ(scores.text(), "scores");
  EXPECT_EQ(Label("").hash(), 0xcbf29ce484222325u);   // FNV-1a of nothing
  EXPECT_EQ(Label("a").hash(), 0xaf63dc4c8601ec8cu);  // published test vector
}

TEST(Hex, IsTwoLowerCaseDigitsAByte) {
  EXPECT_EQ(hex({}), "");
  const std::array bytes{std::byte{0}, std::byte{0x0f}, std::byte{0xa0}, std::byte{0xff}};
  EXPECT_EQ(hex(bytes), "000fa0ff");
}

// Both packers on the same lanes, the bytes behind the end guarded.
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
}

}  // namespace
}  // namespace sotto
