// Stores of other versions.
#include "apps/live/rows/live_store.h"

#include "tests/apps/live/stored_role.h"

namespace sotto::apps::live {
namespace {

using namespace testing;

TEST_F(LiveStoreTest, ANewerVersionIsRefusedWithBoth) {
  create("party 0");
  Database(of("party 0") / "live.db").execute("PRAGMA user_version = 5");
  expect_refused("newer sotto (version 5, this one knows 4)", [&] { (void)open("party 0"); });
  EXPECT_EQ(Database(of("party 0") / "live.db").number("PRAGMA user_version"), 5);
  Database(of("party 0") / "live.db").execute("PRAGMA user_version = 0");
  expect_refused("is no store of a service", [&] { (void)open("party 0"); });
}

// As version 1 wrote it: without what came at the end of the row of the epoch.
TEST_F(LiveStoreTest, AnOlderVersionIsBroughtForwardOnce) {
  create("actor");
  EpochRow epoch;
  epoch.epoch = 5;
  epoch.repeated = 2;
  LiveRow old = encode(epoch);
  old.resize(old.size() - 3 * sizeof(std::uint64_t));
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
  // An earlier try got no further than its copy.
  std::ofstream(of("actor") / "live.db.v1") << "half";
  {
    const auto store = open("actor");
    EXPECT_EQ(read_epoch_row(*store), epoch);
    EXPECT_EQ(decode_chain_row(store->get(key_of(LiveTable::chain, OrderNumber{0})).value()), number);
    EXPECT_EQ(store->get(key_of(LiveTable::events, live_event(1))), row_of(1));
  }
  EXPECT_EQ(Database(of("actor") / "live.db").number("PRAGMA user_version"), 4);
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

// As version 3 wrote it: its log has a number without a tally, after a learn that stands in the tables.
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
  EXPECT_EQ(Database(of("actor") / "live.db").number("PRAGMA user_version"), 4);
  EXPECT_EQ(Database(of("actor") / "live.db.v3").number("PRAGMA user_version"), 3);
}

}  // namespace
}  // namespace sotto::apps::live
