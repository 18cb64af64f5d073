#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <thread>
#include <vector>

#include "sotto/core/async/huge_pages.h"
#include "sotto/core/async/pool.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/ring/words.h"
#include "tests/core/async/test_executor.h"

namespace sotto::testing {
namespace {

// Under sanitizers every block comes from the system.
bool pooling() {
  pool_release(pool_allocate(100), 100);
  const std::uint64_t before = pool_system_requests();
  pool_release(pool_allocate(100), 100);
  return pool_system_requests() == before;
}

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
  if (!pooling()) GTEST_SKIP() << "sanitizers see each block";
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

Task<Words> leaf(std::size_t lanes) { co_return Words(lanes, 1); }

Task<std::uint64_t> step(std::size_t lanes) {
  const Words one = co_await leaf(lanes);
  auto [a, b] = co_await when_all(leaf(2 * lanes), leaf(3 * lanes));
  Words sum(one.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = one[i] + a[i] + b[i];
  co_return sum[0];
}

TEST(Pool, AsksTheSystemForNothingInASteadyState) {
  if (!pooling()) GTEST_SKIP() << "sanitizers see each block";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run_to_end(step(1000)), 3u);
  const std::uint64_t before = pool_system_requests();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(run_to_end(step(1000)), 3u);
  EXPECT_EQ(pool_system_requests(), before);
}

}  // namespace
}  // namespace sotto::testing

namespace sotto {
namespace {

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
}  // namespace sotto
