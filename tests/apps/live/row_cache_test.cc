// Rows of a store that stay in memory.
#include "apps/live/rows/row_cache.h"

#include <map>
#include <random>

#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

// Whatever a cache has forgotten, what it gives is what was put last.
TEST(RowCache, GivesWhatWasPutLast) {
  std::mt19937 random(3);
  RowCache cache(4000);
  std::map<RowKey, std::optional<LiveRow>> last;
  std::size_t found = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    const LiveTable table = random() % 2 == 0 ? LiveTable::events : LiveTable::features;
    const RowKey key = key_of(table, live_event(random() % 40));
    if (random() % 3 == 0) {
      last[key] = random() % 4 == 0 ? std::optional<LiveRow>() : LiveRow(random() % 300, std::byte(i));
      cache.put(key, last[key]);
    } else if (const auto* const row = cache.find(key)) {
      EXPECT_EQ(*row, last.at(key));
      ++found;
    }
  }
  EXPECT_GT(found, 100u);
  cache.clear();
  for (const auto& [key, row] : last) EXPECT_EQ(cache.find(key), nullptr);
}

TEST(RowCache, HoldsNoMoreThanItMay) {
  RowCache cache(10'000);
  for (OrderNumber number = 1; number <= 1000; ++number) {
    cache.put(key_of(LiveTable::used, number), LiveRow(400));
    EXPECT_NE(cache.find(key_of(LiveTable::used, number)), nullptr);
  }
  std::size_t here = 0;
  for (OrderNumber number = 1; number <= 1000; ++number) {
    here += cache.find(key_of(LiveTable::used, number)) != nullptr ? 1 : 0;
  }
  EXPECT_GT(here, 0u);
  EXPECT_LE(here * 400, 10'000u);
  // One that is larger than all of it is taken, and makes room for the next.
  cache.put(key_of(LiveTable::models, 1), LiveRow(20'000));
  EXPECT_NE(cache.find(key_of(LiveTable::models, 1)), nullptr);
  for (OrderNumber number = 1; number <= 40; ++number) cache.put(key_of(LiveTable::used, number), LiveRow(400));
  EXPECT_EQ(cache.find(key_of(LiveTable::models, 1)), nullptr);
}

}  // namespace
}  // namespace sotto::apps::live
