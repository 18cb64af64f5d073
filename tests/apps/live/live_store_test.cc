#include "apps/live/rows/live_store.h"

#include "tests/apps/live/stored_role.h"
#include "tests/properties.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

TEST_F(LiveStoreTest, GivesBackWhatWasCommitted) {
  create("party 0");
  {
    const auto store = open("party 0");
    RowDraft draft(*store);
    for (const OrderNumber number : {300, 2, 70'000}) draft.put(key_of(LiveTable::chain, number), row_of(number & 255));
    draft.put(key_of(LiveTable::events, live_event(1)), {});
    EXPECT_FALSE(store->get(key_of(LiveTable::chain, OrderNumber{2})));
    EXPECT_EQ(draft.get(key_of(LiveTable::chain, OrderNumber{2})), row_of(2));
    draft.commit();
    RowDraft second(*store);
    second.erase(key_of(LiveTable::chain, OrderNumber{2}));
    second.put(key_of(LiveTable::chain, OrderNumber{300}), row_of(9));
    EXPECT_FALSE(second.get(key_of(LiveTable::chain, OrderNumber{2})));
    second.commit();
  }
  const auto store = open("party 0");
  std::vector<OrderNumber> numbers;
  store->each(LiveTable::chain, [&](const RowKey& key, const LiveRow&) {
    numbers.push_back(number_of(key));
    return true;
  });
  EXPECT_THAT(numbers, ElementsAre(300, 70'000)) << "in order";
  EXPECT_EQ(store->get(key_of(LiveTable::chain, OrderNumber{300})), row_of(9));
  EXPECT_EQ(store->get(key_of(LiveTable::events, live_event(1))), LiveRow{});
  EXPECT_FALSE(store->get(key_of(LiveTable::features, live_event(1))));
}

TEST_F(LiveStoreTest, GivesBackARowOfEachTable) {
  create("party 0");
  const auto key = [](unsigned table) { return key_of(static_cast<LiveTable>(table), OrderNumber{table}); };
  const auto last = static_cast<unsigned>(last_live_table);
  {
    const auto store = open("party 0");
    RowDraft draft(*store);
    for (unsigned table = 1; table <= last; ++table) draft.put(key(table), row_of(table));
    draft.commit();
  }
  const auto store = open("party 0");
  for (unsigned table = 1; table <= last; ++table) EXPECT_EQ(store->get(key(table)), row_of(table)) << table;
}

TEST_F(LiveStoreTest, IsOfOneRoleServiceAndKey) {
  create("party 0");
  expect_refused("holds the store of a service already", [&] { create("party 0"); });
  expect_refused("holds no store", [&] { (void)open("party 1"); });
  const auto opened_as = [&](LiveIdentity identity, unsigned char key) {
    (void)LiveStore(of("party 0"), identity, live_store_key(secret_of(key), identity));
  };
  LiveIdentity identity = live_identity("party 1");
  expect_refused("is the store of party 0, not of party 1", [&] { opened_as(identity, 7); });
  identity = live_identity("party 0");
  identity.session[0] = 'f';
  expect_refused("is of another service", [&] { opened_as(identity, 7); });
  identity = live_identity("party 0");
  identity.parameters = "arms = 4\n";
  expect_refused(" at the beginning of the service; that is a new service", [&] { opened_as(identity, 7); });
  expect_refused("does not open with the key of party 0", [&] { opened_as(live_identity("party 0"), 8); });
  const auto held = open("party 0");
  expect_refused<ResourceError>("another process uses this store", [&] { (void)open("party 0"); });
}

TEST_F(LiveStoreTest, IsThereWhenItIsWhole) {
  fs::create_directory(of("party 0"));
  fs::permissions(of("party 0"), fs::perms::owner_all);
  std::ofstream(of("party 0") / "live.new") << "a part of it";
  std::ofstream(of("party 0") / "live.new-wal") << "a part of it";
  EXPECT_FALSE(LiveFile::exists(of("party 0")));
  create("party 0");
  EXPECT_TRUE(LiveFile::exists(of("party 0")));
  EXPECT_EQ(std::distance(fs::directory_iterator(of("party 0")), {}), 1);
  EXPECT_EQ(mode_of(of("party 0") / "live.db"), 0600u);
  EXPECT_FALSE(open("party 0")->get(key_of(LiveTable::epoch, OrderNumber{0})));
}

TEST_F(LiveStoreTest, RowsAreSealedForTheirPlace) {
  create("party 0");
  const std::string secret = "a feature that nobody else may read";
  {
    const auto store = open("party 0");
    RowDraft draft(*store);
    const auto bytes = std::as_bytes(std::span(secret));
    draft.put(key_of(LiveTable::features, live_event(1)), LiveRow(bytes.begin(), bytes.end()));
    draft.put(key_of(LiveTable::features, live_event(2)), row_of(2));
    draft.commit();
    // A closed store has no file next to its database, so the log is checked while the store is open.
    const auto hides = [&](const fs::path& file) {
      EXPECT_THAT(slurp(file), Not(HasSubstr(secret))) << file;
      EXPECT_EQ(mode_of(file), 0600u);
    };
    hides(of("party 0") / "live.db");
    hides(of("party 0") / "live.db-wal");
    put_into_tables(*store, "party 0");
  }
  for (const auto& file : fs::directory_iterator(of("party 0"))) {
    EXPECT_THAT(slurp(file.path()), Not(HasSubstr(secret)));
    EXPECT_EQ(mode_of(file.path()), 0600u);
  }
  {
    Database database(of("party 0") / "live.db");
    const EventId event = live_event(1);
    Statement query(database, "SELECT sealed FROM rows WHERE key = ?");
    query.bind(std::span<const std::byte>(event));
    ASSERT_TRUE(query.next());
    const std::vector<std::byte> sealed = query.bytes(0);
    Statement(database, "UPDATE rows SET sealed = ? WHERE key = ?")
        .bind(std::span<const std::byte>(sealed))
        .bind(std::span<const std::byte>(live_event(2)))
        .run();
  }
  const auto store = open("party 0");
  expect_refused("does not decrypt", [&] { (void)store->get(key_of(LiveTable::features, live_event(2))); });
}

TEST_F(LiveStoreTest, ADamagedLogIsRefused) {
  const auto change = [&](const char* sql) {
    fs::remove_all(of("party 0"));
    create("party 0");
    {
      const auto store = open("party 0");
      for (unsigned i = 0; i < 3; ++i) {
        RowDraft draft(*store);
        draft.put(key_of(LiveTable::events, live_event(i)), row_of(i));
        draft.commit();
      }
    }
    Database(of("party 0") / "live.db").execute(sql);
  };
  const auto refuses = [&](const char* sql, const std::string& says) {
    SCOPED_TRACE(sql);
    change(sql);
    expect_refused(says, [&] { (void)open("party 0"); });
  };
  refuses("DELETE FROM log WHERE number = 2", "the store is damaged (change 3 of its log)");
  refuses("DELETE FROM log WHERE number = 1", "the store is damaged (change 2 of its log)");
  refuses("UPDATE log SET sealed = x'00' WHERE number = 2", "the store is damaged (change 2 of its log)");
  refuses("UPDATE log SET sealed = (SELECT sealed FROM log WHERE number = 1) WHERE number = 3",
          "the store is damaged (change 3 of its log)");
  change("SELECT 1");
  EXPECT_EQ(open("party 0")->get(key_of(LiveTable::events, live_event(2))), row_of(2));
}

TEST_F(LiveStoreTest, AnotherKeySealsAllRows) {
  create("party 0");
  const LiveIdentity identity = live_identity("party 0");
  {
    const auto store = open("party 0");
    RowDraft draft(*store);
    for (unsigned i = 0; i < 50; ++i) draft.put(key_of(LiveTable::events, live_event(i)), row_of(i));
    draft.put(key_of(LiveTable::chain, OrderNumber{1}), row_of(9));
    draft.commit();
    store->change_key(live_store_key(secret_of(8), identity));
  }
  expect_refused("does not open with the key of party 0", [&] { (void)open("party 0"); });
  const LiveStore store(of("party 0"), identity, live_store_key(secret_of(8), identity));
  for (unsigned i = 0; i < 50; ++i) EXPECT_EQ(store.get(key_of(LiveTable::events, live_event(i))), row_of(i));
  EXPECT_EQ(store.get(key_of(LiveTable::chain, OrderNumber{1})), row_of(9));
}

TEST_F(LiveStoreTest, PutsManyRowsIntoTheTablesAtRest) {
  create("party 0");
  const auto logged = [&] { return Database(of("party 0") / "live.db").number("SELECT count(*) FROM log"); };
  for (const unsigned rows : {1u, 300u}) {
    {
      const auto store = open("party 0");
      RowDraft draft(*store);
      for (unsigned i = 0; i < rows; ++i) draft.put(key_of(LiveTable::events, live_event(i)), row_of(i));
      draft.commit();
      store->at_rest();
      EXPECT_EQ(store->get(key_of(LiveTable::events, live_event(0))), row_of(0));
    }
    EXPECT_EQ(logged(), rows < 100 ? 1 : 0);
  }
}

// With so many rows, the store rebuilds its filter of keys in pieces, while the test adds further rows. The filter must
// never hide a row.
TEST_F(LiveStoreTest, FindsItsRowsAmongMany) {
  create("party 0");
  auto store = open("party 0");
  store->prepare_to_serve();
  const auto key = [](unsigned i) { return key_of(LiveTable::used, OrderNumber{i * 2654435761u}); };
  unsigned rows = 0;
  std::set<unsigned> erased;
  std::mt19937 random(5);
  const auto add = [&](unsigned count) {
    RowDraft draft(*store);
    for (const unsigned end = rows + count; rows < end; ++rows) draft.put(key(rows), row_of(rows));
    const unsigned gone = static_cast<unsigned>(random() % rows);
    draft.erase(key(gone));
    erased.insert(gone);
    draft.commit();
    store->at_rest();
  };
  const auto expect_right = [&](unsigned i) {
    const bool is_there = i < rows && !erased.contains(i);
    ASSERT_EQ(store->get(key(i)), is_there ? std::optional(row_of(i)) : std::nullopt) << i << " of " << rows;
  };
  while (rows < 66'000) add(2000);
  for (int piece = 0; piece < 90; ++piece) {
    add(300);
    for (unsigned i = rows - 300; i < rows + 3; ++i) expect_right(i);
    for (int i = 0; i < 50; ++i) expect_right(static_cast<unsigned>(random() % rows));
  }
  store.reset();
  store = open("party 0");
  store->prepare_to_serve();
  for (unsigned i = 0; i < rows + 2000; i += 7) expect_right(i);
  for (const unsigned i : erased) expect_right(i);
}

TEST_F(LiveStoreTest, LengthensItsWalOnce) {
  create("party 0");
  const fs::path wal = of("party 0") / "live.db-wal";
  const auto store = open("party 0");
  RowDraft draft(*store);
  draft.put(key_of(LiveTable::events, live_event(1)), row_of(1));
  draft.commit();
  store->prepare_to_serve();
  const std::uintmax_t length = fs::file_size(wal);
  EXPECT_GE(length, std::uintmax_t{16} << 20);
  store->prepare_to_serve();
  draft.put(key_of(LiveTable::events, live_event(2)), row_of(2));
  draft.commit();
  EXPECT_EQ(fs::file_size(wal), length);
  const fs::path copy = of("copy");
  fs::copy(of("party 0"), copy);
  fs::permissions(copy, fs::perms::owner_all);
  const LiveIdentity identity = live_identity("party 0");
  const LiveStore other(copy, identity, live_store_key(secret_of(7), identity));
  EXPECT_EQ(rows_of(other), rows_of(*store));
  EXPECT_EQ(rows_of(other).size(), 2u);
}

PROPERTY(LiveStore, GivesWhatMemoryGives) {
  const TestFolder folder;
  const fs::path path = folder.path() / "store";
  const LiveIdentity identity = live_identity("party 0");
  LiveFile::create(path, identity, live_store_key(secret_of(7), identity));
  const auto open = [&] { return std::make_unique<LiveStore>(path, identity, live_store_key(secret_of(7), identity)); };
  auto store = open();
  Disk disk;
  MemoryRows memory(disk);
  const auto draw_key = [] {
    return key_of(draw_one_of({LiveTable::epoch, LiveTable::events, LiveTable::snapshots}), draw_below(40));
  };
  const std::size_t commits = draw_in_range<std::size_t>(1, 8);
  for (std::size_t i = 0; i < commits; ++i) {
    RowChanges changes;
    const std::size_t rows = draw_below(12);
    for (std::size_t j = 0; j < rows; ++j) {
      auto& row = changes[draw_key()];
      if (draw<bool>()) row = row_of(draw<unsigned char>());
    }
    if (draw_below(16) == 0) {
      for (OrderNumber number = 0; number < 1100; ++number) changes[key_of(LiveTable::used, number)] = row_of(1);
    }
    if (draw_below(16) == 0) changes[key_of(LiveTable::models, draw_below(3))] = LiveRow(std::size_t{1} << 20);
    store->commit(changes);
    memory.commit(changes);
    if (draw_below(8) == 0) {
      store.reset();
      store = open();
    }
    HOLDS(rows_of(*store) == rows_of(memory));
    const RowKey key = draw_key();
    HOLDS(store->get(key) == memory.get(key));
  }
}

TEST_F(LiveStoreTest, EndsToGiveWhereItIsToldTo) {
  create("party 0");
  const auto store = open("party 0");
  for (const OrderNumber number : {5, 1, 3}) {
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::chain, number), row_of(1));
    draft.commit();
    if (number == 1) put_into_tables(*store, "party 0");
  }
  for (std::size_t most = 1; most <= 3; ++most) {
    std::vector<OrderNumber> given;
    store->each(LiveTable::chain, [&](const RowKey& key, const LiveRow&) {
      given.push_back(number_of(key));
      return given.size() < most;
    });
    EXPECT_EQ(given.size(), most);
    EXPECT_TRUE(std::is_sorted(given.begin(), given.end()));
  }
}

TEST_F(LiveStoreTest, ReadsWhatItHasForgotten) {
  create("party 0");
  const auto store = open("party 0");
  constexpr OrderNumber rows = 40;
  const auto row = [](OrderNumber number) { return LiveRow(std::size_t{4} << 20, std::byte(number)); };
  for (OrderNumber number = 1; number <= rows; ++number) {
    RowDraft draft(*store);
    draft.put(key_of(LiveTable::models, number), row(number));
    if (number > 1) draft.erase(key_of(LiveTable::models, number - 1));
    if (number % 10 == 0) draft.put(key_of(LiveTable::used, number), row(number));
    draft.commit();
  }
  for (OrderNumber number = 10; number <= rows; number += 10) {
    EXPECT_EQ(store->get(key_of(LiveTable::used, number)), row(number));
    EXPECT_EQ(store->get(key_of(LiveTable::models, number)).has_value(), number == rows);
  }
}

}  // namespace
}  // namespace sotto::apps::live
