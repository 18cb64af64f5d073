#include "sotto/core/wire/byte_lanes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sotto/core/wire/bit_pack.h"

namespace sotto {
namespace {

// Both packers on the same lanes, the bytes behind the end guarded.
RC_GTEST_PROP(ByteLanes, PackAsWordsDo, (const std::vector<std::uint8_t>& lanes)) {
  const std::vector<std::uint64_t> words(lanes.begin(), lanes.end());
  for (unsigned bits = 1; bits <= 8; ++bits) {
    const std::size_t bytes = packed_bytes(lanes.size(), bits);
    std::vector<std::byte> expected(bytes);
    std::vector<std::byte> packed(bytes + 8, std::byte{0xa5});
    pack(words, bits, expected.data());
    pack_bytes(lanes, bits, packed.data());
    for (std::size_t i = 0; i < bytes; ++i) RC_ASSERT(packed[i] == expected[i]);
    for (std::size_t i = bytes; i < packed.size(); ++i) RC_ASSERT(packed[i] == std::byte{0xa5});
  }
}

TEST(ByteLanes, PackAnyNumberOfLanes) {
  for (std::size_t count = 0; count < 100; ++count) {
    std::vector<std::uint8_t> lanes(count);
    for (std::size_t i = 0; i < count; ++i) lanes[i] = static_cast<std::uint8_t>(i * 37 + 11);
    const std::vector<std::uint64_t> words(lanes.begin(), lanes.end());
    for (unsigned bits = 1; bits <= 8; ++bits) {
      std::vector<std::byte> expected(packed_bytes(count, bits));
      std::vector<std::byte> packed(expected.size());
      pack(words, bits, expected.data());
      pack_bytes(lanes, bits, packed.data());
      EXPECT_EQ(packed, expected) << count << " lanes of " << bits << " bits";
    }
  }
}

TEST(ByteLanes, SingleLanesAreThoseThatUnpackGives) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 65u}) {
      std::vector<std::byte> packed(packed_bytes(count, bits));
      for (std::size_t i = 0; i < packed.size(); ++i) {
        packed[i] = static_cast<std::byte>(i * 151 + bits);
      }
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
