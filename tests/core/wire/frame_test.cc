#include "sotto/core/wire/frame.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sotto/core/wire/label.h"

namespace sotto {
namespace {

using Bytes = std::array<std::byte, FrameHeader::size>;

TEST(Frame, HasTheDocumentedLayout) {
  Bytes bytes;
  const FrameHeader header{0x01020304, FrameType::failed, 0x1112131415161718, 0x2122232425262728};
  write_header(header, bytes);
  const unsigned char expected[] = {4,    3,    2,    1,    5,    0,    0,    0,
                                    0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
                                    0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]) << i;
  }
}

RC_GTEST_PROP(Frame, ComesBackAsItWas,
              (std::uint32_t length, std::uint16_t type, std::uint64_t round,
               std::uint64_t digest)) {
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

}  // namespace
}  // namespace sotto
