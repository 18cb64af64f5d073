// Which keys a store may hold.
#include "apps/live/rows/key_filter.h"

#include "tests/apps/live/service.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

// Of the numbers from `first` to `end`, the share that a filter takes for what it holds.
double share_held(const KeyFilter& filter, LiveTable table, OrderNumber first, OrderNumber end) {
  double held = 0;
  for (OrderNumber number = first; number < end; ++number) {
    held += filter.may_hold(key_of(table, number)) ? 1 : 0;
  }
  return held / static_cast<double>(end - first);
}

TEST(KeyFilter, HoldsWhatWasAddedAndLittleElse) {
  for (const std::size_t keys : {std::size_t{1}, std::size_t{65'536}, std::size_t{150'000}}) {
    KeyFilter filter(keys);
    OrderNumber added = 0;
    while (!filter.is_full()) filter.add(key_of(LiveTable::used, added++));
    EXPECT_GE(added, keys);
    EXPECT_LE(filter.keys(), added);
    EXPECT_GT(filter.keys(), added - added / 100);
    EXPECT_EQ(share_held(filter, LiveTable::used, 0, added), 1.0);
    EXPECT_LT(share_held(filter, LiveTable::used, added, 2 * added), 1.0 / 150) << "other numbers";
    EXPECT_LT(share_held(filter, LiveTable::chain, 0, added), 1.0 / 150) << "the same in another table";
  }
}

TEST(KeyFilter, CountsAKeyOnce) {
  KeyFilter filter(1);
  for (int i = 0; i < 10; ++i) filter.add(key_of(LiveTable::chain, OrderNumber{5}));
  EXPECT_EQ(filter.keys(), 1u);
  EXPECT_FALSE(filter.is_full());
}

}  // namespace
}  // namespace sotto::apps::live
