#include "sotto/protocols/compare/digit_tables.h"

#include <gtest/gtest.h>

#include <vector>

namespace sotto::protocols {
namespace {

TEST(DigitTables, HoldSignsAndBorrowsForEveryMask) {
  for (const unsigned width : {1u, 2u, 5u, 8u, 9u, 12u}) {
    const std::size_t size = std::size_t{1} << width;
    const std::size_t step = width > 8 ? 37 : 1;  // of 4096 masks, some
    for (std::size_t m = 0; m < size; m += step) {
      std::vector<std::uint8_t> signs(size), borrows(size);
      std::vector<std::uint64_t> wide(size);
      write_signs(signs.data(), size, m);
      write_borrows(borrows.data(), size, m);
      write_signs(wide.data(), size, m);
      for (std::size_t d = 0; d < size; ++d) {
        const int sign = d > m ? 1 : d < m ? -1 : 0;
        ASSERT_EQ(signs[d], static_cast<std::uint8_t>(sign)) << d << " and " << m;
        ASSERT_EQ(borrows[d], d < m ? 0xff : 0) << d << " and " << m;
        ASSERT_EQ(wide[d] & 0xff, signs[d]);
      }
    }
  }
}

}  // namespace
}  // namespace sotto::protocols
