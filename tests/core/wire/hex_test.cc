#include "sotto/core/wire/hex.h"

#include <gtest/gtest.h>

#include <array>

namespace sotto {
namespace {

TEST(Hex, IsTwoLowerCaseDigitsAByte) {
  EXPECT_EQ(hex({}), "");
  const std::array bytes{std::byte{0}, std::byte{0x0f}, std::byte{0xa0}, std::byte{0xff}};
  EXPECT_EQ(hex(bytes), "000fa0ff");
}

}  // namespace
}  // namespace sotto
