#include "sotto/core/async/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "sotto/core/async/pool.h"

namespace sotto {
namespace {

TEST(LargeBlocks, AreAlignedAndWritableFromEndToEnd) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, (std::size_t{2} << 20) - 1,
                                  std::size_t{2} << 20, (std::size_t{9} << 20) + 5}) {
    void* block = map_large(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (std::uintptr_t{2} << 20), 0u);
    std::memset(block, 0x5a, bytes);
    EXPECT_EQ(static_cast<unsigned char*>(block)[bytes - 1], 0x5a);
    unmap_large(block, bytes);
  }
}

TEST(LargeBlocks, BeyondTheAddressSpaceAreRefused) {
  EXPECT_THROW((void)map_large(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  EXPECT_THROW((void)map_large(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

TEST(LargeBlocks, OfThePoolComeBackAndGoToTheSystem) {
  for (const std::size_t bytes :
       {std::size_t{4} << 20, std::size_t{64} << 20, (std::size_t{64} << 20) + 1}) {
    void* block = pool_allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
    pool_release(block, bytes);
    void* again = pool_allocate(bytes);
    std::memset(again, 2, bytes);
    pool_release(again, bytes);
  }
}

}  // namespace
}  // namespace sotto
