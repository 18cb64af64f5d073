#include <map>
#include <random>

#include "apps/live/rows/live_store.h"
#include "apps/live/rows/row_cache.h"
#include "tests/apps/live/service.h"
#include "tests/apps/live/stored_role.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

TEST_F(LiveStoreTest, ANewerVersionIsRefusedWithBoth) {
  create("party 0");
  Database(of("party 0") / "live.db").execute("PRAGMA user_version = 6");
  expect_refused("newer sotto (version 6, this one knows 5)", [&] { (void)open("party 0"); });
  EXPECT_EQ(Database(of("party 0") / "live.db").number("PRAGMA user_version"), 6);
  Database(of("party 0") / "live.db").execute("PRAGMA user_version = 0");
  expect_refused("is no store of a service", [&] { (void)open("party 0"); });
}

// In stores of version 1, the row of the epoch lacks the fields at its end, which later versions added.
TEST_F(LiveStoreTest, AnOlderVersionIsBroughtForwardOnce) {
  create("actor");
  EpochRow epoch;
  epoch.epoch = 5;
  LiveRow old = encode(epoch);
  old.resize(old.size() - 3 * sizeof(std::uint64_t));
  old.insert(old.begin() + 4 + sizeof(net::SessionId), sizeof(std::uint64_t), std::byte{2});
  ChainRow number;
  number.mark.epoch = 5;
  number.decided = 70;
  number.learned = 60;
  number.lanes = row_of(3);
  LiveRow old_number = encode(number);
  ByteWriter agreement;
  write(agreement, Agreement{});
  const auto at = old_number.begin() + 94;
  old_number.erase(at, at + static_cast<std::ptrdiff_t>(agreement.take().size() + bytes_of_tally));
  {
    const auto store = open("actor");
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::epoch, OrderNumber{0}), old);
    draft.put(key_of(LiveTable::chain, OrderNumber{0}), old_number);
    draft.put(key_of(LiveTable::events, live_event(1)), row_of(1));
    draft.commit();
    put_into_tables(*store, "actor");
  }
  Database(of("actor") / "live.db").execute("DROP TABLE log; PRAGMA user_version = 1");
  std::ofstream(of("actor") / "live.db.v1") << "half";
  {
    const auto store = open("actor");
    EXPECT_EQ(read_epoch_row(*store), epoch);
    EXPECT_EQ(decode_chain_row(store->get(key_of(LiveTable::chain, OrderNumber{0})).value()), number);
    EXPECT_EQ(store->get(key_of(LiveTable::events, live_event(1))), row_of(1));
  }
  EXPECT_EQ(Database(of("actor") / "live.db").number("PRAGMA user_version"), 5);
  const fs::path copy = of("actor") / "live.db.v1";
  EXPECT_EQ(Database(copy).number("PRAGMA user_version"), 1);
  EXPECT_EQ(mode_of(copy), 0600u);
  const auto written = fs::last_write_time(copy);
  EXPECT_EQ(read_epoch_row(*open("actor")), epoch);
  EXPECT_EQ(fs::last_write_time(copy), written) << "once";
}

TEST_F(LiveStoreTest, AVersionWithoutALogGetsOne) {
  create("actor");
  {
    const auto store = open("actor");
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::events, live_event(1)), row_of(1));
    draft.commit();
    put_into_tables(*store, "actor");
  }
  Database(of("actor") / "live.db").execute("DROP TABLE log; PRAGMA user_version = 2");
  {
    const auto store = open("actor");
    EXPECT_EQ(store->get(key_of(LiveTable::events, live_event(1))), row_of(1));
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::events, live_event(2)), row_of(2));
    draft.commit();
  }
  EXPECT_EQ(open("actor")->get(key_of(LiveTable::events, live_event(2))), row_of(2));
  EXPECT_EQ(Database(of("actor") / "live.db.v2").number("PRAGMA user_version"), 2);
}

TEST_F(LiveStoreTest, AVersionWithoutTalliesGetsThem) {
  create("rewarder");
  const auto old = [](const ChainRow& row) {
    LiveRow bytes = encode(row);
    const auto at = bytes.begin() + 94 + 73;
    bytes.erase(at, at + bytes_of_tally);
    return bytes;
  };
  ChainRow learned, decided;
  learned.mark.number = learned.entry.number = 6;
  learned.entry.shape = {EntryKind::learn, 4};
  learned.entry.program = 3;
  learned.entry.batches = {5};
  learned.learned = 1;
  decided.mark.number = decided.entry.number = 7;
  decided.entry.shape = {EntryKind::decide, 1};
  decided.entry.program = 4;
  decided.entry.events = {live_event(1)};
  {
    const auto store = open("rewarder");
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::chain, OrderNumber{6}), old(learned));
    draft.commit();
    put_into_tables(*store, "rewarder");
  }
  {
    const auto store = open("rewarder");
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::chain, OrderNumber{7}), old(decided));
    draft.commit();
  }
  Database(of("rewarder") / "live.db").execute("PRAGMA user_version = 3");
  learned.tally.model = decided.tally.model = 6;
  for (int turn = 0; turn < 2; ++turn) {
    const auto store = open("rewarder");
    EXPECT_EQ(decode_chain_row(store->get(key_of(LiveTable::chain, OrderNumber{6})).value()), learned);
    EXPECT_EQ(decode_chain_row(store->get(key_of(LiveTable::chain, OrderNumber{7})).value()), decided);
  }
  EXPECT_EQ(Database(of("rewarder") / "live.db.v3").number("PRAGMA user_version"), 3);
}

TEST_F(LiveStoreTest, AVersionWithALogKeepsIt) {
  create("actor");
  {
    const auto store = open("actor");
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::events, live_event(1)), row_of(1));
    draft.commit();
  }
  Database(of("actor") / "live.db").execute("PRAGMA user_version = 3");
  EXPECT_EQ(open("actor")->get(key_of(LiveTable::events, live_event(1))), row_of(1));
  EXPECT_EQ(Database(of("actor") / "live.db").number("PRAGMA user_version"), 5);
  EXPECT_EQ(Database(of("actor") / "live.db.v3").number("PRAGMA user_version"), 3);
}

TEST_F(LiveStoreTest, AVersionWithoutSubjectsKeepsItsFeatures) {
  create("party 0");
  ByteWriter pushed;
  pushed.number(LiveTime{77});
  pushed.numbers(std::span<const double>(FeatureValues{.25, -1}));
  const LiveRow waits = pushed.take();
  EpochRow epoch;
  epoch.epoch = 5;
  epoch.dropped = 3;
  LiveRow old_epoch = encode(epoch);
  old_epoch.insert(old_epoch.begin() + 4 + sizeof(net::SessionId), sizeof(std::uint64_t), std::byte{2});
  ByteWriter batch;
  batch.number(std::uint64_t{2});
  batch.octet(0);
  batch.octet(1);
  batch.bytes(waits);
  {
    const auto store = open("party 0");
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::features, live_event(1)), waits);
    draft.put(key_of(LiveTable::epoch, OrderNumber{0}), old_epoch);
    draft.put(key_of(LiveTable::used, OrderNumber{3}), batch.take());
    draft.commit();
  }
  Database(of("party 0") / "live.db").execute("PRAGMA user_version = 4");
  const auto store = open("party 0");
  const PushedFeatures expected{77, {.25, -1}, {}};
  EXPECT_EQ(decode_pushed_features(store->get(key_of(LiveTable::features, live_event(1))).value()), expected);
  EXPECT_EQ(decode_batch_features(store->get(key_of(LiveTable::used, OrderNumber{3})).value()),
            (BatchFeatures{std::nullopt, expected}));
  EXPECT_EQ(encode(expected), waits);
  EXPECT_EQ(read_epoch_row(*store), epoch);
  const PushedFeatures named{77, {.25, -1}, "customer 7"};
  EXPECT_EQ(decode_pushed_features(encode(named)), named);
  EXPECT_EQ(decode_batch_features(encode(BatchFeatures{named, std::nullopt, expected})),
            (BatchFeatures{named, std::nullopt, expected}));
  EXPECT_EQ(Database(of("party 0") / "live.db.v4").number("PRAGMA user_version"), 4);
}

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

// A cache may forget rows, but it never returns an older row in place of the newest row of a key.
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
  cache.put(key_of(LiveTable::models, 1), LiveRow(20'000));
  EXPECT_NE(cache.find(key_of(LiveTable::models, 1)), nullptr);
  for (OrderNumber number = 1; number <= 40; ++number) cache.put(key_of(LiveTable::used, number), LiveRow(400));
  EXPECT_EQ(cache.find(key_of(LiveTable::models, 1)), nullptr);
}

}  // namespace
}  // namespace sotto::apps::live
