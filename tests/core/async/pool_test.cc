#include <new>

#include "sotto/core/async/huge_pages.h"
#include "sotto/core/async/pool.h"
#include "sotto/core/ring/words.h"
#include "tests/framework.h"

namespace sotto::testing {
namespace {

TEST(Pool, GivesAlignedBlocksOfAnySize) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33},
                                 std::size_t{4096}, std::size_t{1} << 20, (std::size_t{64} << 20) + 1}) {
    auto* block = static_cast<unsigned char*>(pool_allocate(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0u);
    if (size > 0) {
      block[0] = 1;
      block[size - 1] = 2;
    }
    pool_release(block, size);
  }
}

TEST(Pool, GivesABlockBackToTheNextOfItsClassOnly) {
  if (!pool_is_pooling()) GTEST_SKIP() << "sanitizers see each block";
  void* block = pool_allocate(100);
  pool_release(block, 100);
  void* larger = pool_allocate(200);
  EXPECT_NE(larger, block);
  void* same_class = pool_allocate(65);  // 65 to 128 bytes are one class
  EXPECT_EQ(same_class, block);
  pool_release(larger, 200);
  pool_release(same_class, 65);
}

TEST(Pool, TakesBlocksOfOtherThreads) {
  Words words(1000, 7);
  std::thread([moved = std::move(words)]() mutable { moved.clear(); }).join();
  Words again(1000, 9);
  EXPECT_EQ(again[999], 9u);
}

TEST(Words, AreNotInitialisedWhenTheyGrowButAreWhenAsked) {
  Words words(8, 3);
  words.resize(16, 0);
  EXPECT_EQ(words[7], 3u);
  EXPECT_EQ(words[15], 0u);
}

TEST(LargeBlocks, AreAlignedAndWritableFromEndToEnd) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, (std::size_t{2} << 20) - 1, std::size_t{2} << 20,
                                  (std::size_t{9} << 20) + 5}) {
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
  for (const std::size_t bytes : {std::size_t{4} << 20, std::size_t{64} << 20, (std::size_t{64} << 20) + 1}) {
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
}  // namespace sotto::testing
