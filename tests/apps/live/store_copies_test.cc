// Backups of a store, and copies of one that is in use.
#include "apps/live/rows/live_store.h"

#include "tests/apps/live/stored_role.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

TEST_F(LiveStoreTest, ABackupIsAStore) {
  create("party 0");
  const fs::path into = folder.path() / "backup";
  {
    const auto store = open("party 0");
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::events, live_event(1)), row_of(1));
    draft.commit();
    store->back_up(into);
    expect_refused("holds the store of a service already", [&] { store->back_up(into); });
    draft.put(key_of(LiveTable::events, live_event(1)), row_of(2));
    draft.commit();
  }
  EXPECT_EQ(mode_of(into), 0700u);
  EXPECT_EQ(mode_of(into / "live.db"), 0600u);
  const LiveIdentity identity = live_identity("party 0");
  const LiveStore copy(into, identity, live_store_key(secret_of(7), identity));
  EXPECT_EQ(copy.get(key_of(LiveTable::events, live_event(1))), row_of(1));
}

// The copy has what was committed between its steps as well, in parts that it had copied before and in later ones.
TEST_F(LiveStoreTest, IsCopiedWhileItChanges) {
  create("party 0");
  const fs::path into = folder.path() / "backup";
  const LiveIdentity identity = live_identity("party 0");
  std::vector<std::pair<RowKey, LiveRow>> rows;
  {
    const auto store = open("party 0");
    constexpr OrderNumber many = 3000;
    const auto put = [&](OrderNumber number, unsigned fill) {
      RowDraft draft(*store);
      draft.put(key_of(LiveTable::chain, number), LiveRow(1000, static_cast<std::byte>(fill)));
      draft.commit();
    };
    RowDraft draft(*store);
    for (OrderNumber number = 1; number <= many; ++number) {
      draft.put(key_of(LiveTable::chain, number), LiveRow(1000, std::byte{1}));
    }
    draft.commit();
    const auto copy = store->begin_copy(into);
    unsigned steps = 0;
    while (copy->step()) {
      ++steps;
      EXPECT_FALSE(LiveFile::exists(into)) << "it has its name once it is whole";
      put(steps, 2);
      put(many - steps, 3);
      put(many + steps, 4);
      if (steps == 2) store->at_rest();
    }
    EXPECT_GE(steps, 2U);
    put(9000, 5);
    copy->finish();
    rows = rows_of(*store);
  }
  EXPECT_EQ(mode_of(into), 0700u);
  EXPECT_EQ(mode_of(into / "live.db"), 0600u);
  const LiveStore copied(into, identity, live_store_key(secret_of(7), identity));
  auto wanted = rows;
  std::erase_if(wanted, [](const auto& row) { return row.first == key_of(LiveTable::chain, OrderNumber{9000}); });
  EXPECT_EQ(wanted.size() + 1, rows.size());
  EXPECT_TRUE(rows_of(copied) == wanted);
}

TEST_F(LiveStoreTest, ACopyThatIsGivenUpLeavesNothing) {
  create("party 0");
  const fs::path into = folder.path() / "backup";
  const auto store = open("party 0");
  store->begin_copy(into).reset();
  EXPECT_TRUE(fs::is_empty(into));
  const auto copy = store->begin_copy(into);
  while (copy->step()) {
  }
  copy->finish();
  expect_refused("holds the store of a service already", [&] { (void)store->begin_copy(into); });
  EXPECT_TRUE(LiveFile::exists(into));
}

}  // namespace
}  // namespace sotto::apps::live
