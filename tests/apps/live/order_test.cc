#include "apps/live/order/chain.h"
#include "apps/live/order/frames.h"
#include "apps/live/order/opening.h"
#include "tests/apps/support.h"

namespace sotto::apps::live {

namespace {

OrderEntry a_decide() {
  OrderEntry entry;
  entry.number = 7;
  entry.program = 9;
  entry.shape = {EntryKind::decide, 4};
  entry.cut_off = 20;
  entry.before = net::sha256("6");
  entry.events = {EventId{std::byte{1}}, EventId{std::byte{2}}};
  entry.subjects = {"p-81f2", "-"};
  entry.barred = {{0, 2}, {1, 0}};
  return entry;
}

OrderEntry a_learn(SumBits from = {}) {
  OrderEntry entry;
  entry.number = 8;
  entry.program = 10;
  entry.shape = {EntryKind::learn, 4, false, from};
  entry.batches = {3, 7};
  return entry;
}

OrderEntry a_change() {
  OrderEntry entry;
  entry.number = 9;
  entry.shape = {EntryKind::mode, 0};
  entry.mode = LiveMode::frozen;
  return entry;
}

OrderEntry a_snapshot() {
  OrderEntry entry;
  entry.number = 10;
  entry.shape = {EntryKind::snapshot, 0};
  return entry;
}

OrderEntry a_recovery(SumBits from = {}) {
  OrderEntry entry;
  entry.number = 11;
  entry.shape = {EntryKind::recovery, 0};
  entry.mode = LiveMode::frozen;
  entry.recovery.snapshot = true;
  entry.recovery.model = net::sha256("10");
  entry.recovery.learned = 40;
  entry.recovery.from = from;
  entry.recovery.kept = 9;
  return entry;
}

std::vector<OrderFrame> some_frames() {
  return {PlanFrame{3, 12, {{EntryKind::decide, 64}, {EntryKind::learn, 64}}},
          SkipFrame{4},
          ProposeFrame{a_decide()},
          ProposeFrame{a_learn()},
          ProposeFrame{a_learn({40, 36})},
          ProposeFrame{a_change()},
          BeginFrame{9, {EntryKind::learn, 64}, {3, 7}},
          RanFrame{9},
          DoneFrame{7, net::sha256("7"), {}},
          DoneFrame{7, net::sha256("7"), {0, 2}},
          RestateFrame{net::sha256("7"), 2, a_decide(), std::vector<std::byte>(12, std::byte{3}), {1}},
          SettledFrame{7, net::sha256("7")},
          OpenedFrame{3},
          ProposeFrame{a_snapshot()},
          RestateFrame{net::sha256("10"), 2, a_recovery(), {}, {}},
          RestateFrame{net::sha256("10"), 2, a_recovery({40, 36}), {}, {}},
          KnownFrame{true, 70, 40, 6, {}, {{3, 1000, true, a_decide().events}, {5, 2000, false, {}}}},
          KnownFrame{true, 70, 40, 6, {40, 36}, {}}};
}

TEST(LiveOrder, FramesReadBack) {
  for (const OrderFrame& frame : some_frames()) {
    const std::vector<std::byte> bytes = encode(frame);
    const auto again = decode_order_frame(bytes);
    ASSERT_TRUE(again.has_value()) << frame.index();
    EXPECT_EQ(*again, frame);
  }
}

TEST(LiveOrder, CutFramesAreRefused) {
  for (const OrderFrame& frame : some_frames()) {
    std::vector<std::byte> bytes = encode(frame);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(decode_order_frame(std::span(bytes).first(length))) << frame.index() << " at " << length;
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode_order_frame(bytes)) << frame.index();
  }
}

TEST(LiveOrder, ChangedFramesAreRefusedOrAnothers) {
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (const OrderFrame& frame : some_frames()) {
    const std::vector<std::byte> sound = encode(frame);
    for (int i = 0; i < 2000; ++i) {
      std::vector<std::byte> bytes = sound;
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      const auto changed = decode_order_frame(bytes);
      if (changed) {
        EXPECT_EQ(encode(*changed), bytes);
      }
      refused += changed ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(LiveOrder, EntriesThatNobodyMaySay) {
  const auto expect_invalid = [](OrderEntry entry, auto change) {
    EXPECT_TRUE(is_valid(entry));
    change(entry);
    EXPECT_FALSE(is_valid(entry));
    EXPECT_FALSE(decode_entry(encode(entry)));
  };
  expect_invalid(a_decide(), [](OrderEntry& e) { e.number = 0; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.number = last_number + 1; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.program = 0; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.shape.size = 1; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.shape.size = largest_decide + 1; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.events[1] = e.events[0]; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.subjects.pop_back(); });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.subjects[0] = "a\nb"; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.subjects[0] = std::string(longest_subject + 1, 'a'); });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.barred[1] = e.barred[0]; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.barred[1].place = 2; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.cut_off = longest_cut_off + 1; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.batches = {1}; });
  expect_invalid(a_decide(), [](OrderEntry& e) { e.mode = LiveMode::frozen; });
  expect_invalid(a_learn(), [](OrderEntry& e) { e.batches = {7, 3}; });
  expect_invalid(a_learn(), [](OrderEntry& e) { e.batches = {8}; });
  expect_invalid(a_learn(), [](OrderEntry& e) { e.batches = {0, 3}; });
  expect_invalid(a_learn(), [](OrderEntry& e) { e.batches.clear(); });
  expect_invalid(a_learn(), [](OrderEntry& e) { e.events = {EventId{}}; });
  expect_invalid(a_change(), [](OrderEntry& e) { e.program = 1; });
  expect_invalid(a_change(), [](OrderEntry& e) { e.mode = static_cast<LiveMode>(4); });
  expect_invalid(a_change(), [](OrderEntry& e) { e.shape.kind = static_cast<EntryKind>(6); });
  expect_invalid(a_snapshot(), [](OrderEntry& e) { e.mode = LiveMode::frozen; });
  expect_invalid(a_snapshot(), [](OrderEntry& e) { e.batches = {3}; });
  expect_invalid(a_recovery(), [](OrderEntry& e) { e.recovery.snapshot = false; });
  expect_invalid(a_recovery(), [](OrderEntry& e) { e.recovery.kept = 11; });
  expect_invalid(a_recovery(), [](OrderEntry& e) { e.recovery.kept_id = net::sha256("9"); });
  expect_invalid(a_recovery(), [](OrderEntry& e) { e.before = net::sha256("9"); });
  expect_invalid(a_recovery(), [](OrderEntry& e) { e.program = 1; });
}

// A list that claims more elements than the bytes contain allocates no memory.
TEST(LiveOrder, AClaimedLengthIsChecked) {
  OrderEntry entry = a_learn();
  std::vector<std::byte> bytes = encode(entry);
  const std::size_t events = 8 + 8 + 1 + 4 + 4 + 32;  // the offset of the number of events
  for (std::size_t i = 0; i < 8; ++i) bytes[events + i] = std::byte{0xff};
  EXPECT_FALSE(decode_entry(bytes));
}

TEST(LiveOrder, AnIdCoversAllOfItsPast) {
  const OrderPlace place{net::sha256("before"), net::SessionId{std::byte{1}}, 3};
  const net::Digest entry = digest_of(a_decide());
  const CheckpointId id = order_id(place, 7, entry, net::sha256("words"));
  std::set<CheckpointId> others{id};
  OrderPlace other = place;
  other.before[31] ^= std::byte{1};
  others.insert(order_id(other, 7, entry, net::sha256("words")));
  other = place;
  other.session[15] ^= std::byte{1};
  others.insert(order_id(other, 7, entry, net::sha256("words")));
  other = place;
  ++other.epoch;
  others.insert(order_id(other, 7, entry, net::sha256("words")));
  others.insert(order_id(place, 8, entry, net::sha256("words")));
  OrderEntry changed = a_decide();
  changed.barred.pop_back();
  others.insert(order_id(place, 7, digest_of(changed), net::sha256("words")));
  others.insert(order_id(place, 7, entry, net::sha256("other words")));
  EXPECT_EQ(others.size(), 7u);
}

TEST(LiveOrder, ChainRowsReadBack) {
  ChainRow row;
  row.learned = 77;
  row.mark = OrderMark{7, net::sha256("7"), 2, digest_of(a_decide())};
  row.entry = a_decide();
  row.lanes = {std::byte{1}, std::byte{255}};
  row.restated = true;
  row.decided = 123;
  row.tally = {6, 5, 4, 3, 2, 9, 1, -0.75};
  EXPECT_EQ(decode_chain_row(encode(row)), row);
  EXPECT_EQ(decode_chain_row(encode(ChainRow{})), ChainRow{});
  row.mark.number = 8;
  EXPECT_FALSE(decode_chain_row(encode(row)));
}

LiveHistory at_marks(std::uint32_t epoch, std::vector<OrderMark> marks) {
  LiveHistory history;
  history.epoch = epoch;
  history.marks = std::move(marks);
  return history;
}

TEST(LiveOrder, StandingsFitTheHandshake) {
  const OrderMark first{6, net::sha256("6"), 2, net::sha256("e6")};
  const OrderMark second{7, net::sha256("7"), 3, net::sha256("e7")};
  LiveHistory history = at_marks(3, {first, second});
  history.mode = LiveMode::frozen;
  history.recovery_request = {true, 6, net::sha256("6"), 40, {40, 36}, true, true, true};
  EXPECT_LE(encode(history).size(), net::longest_resume);
  EXPECT_EQ(decode_live_history(encode(history)), history);
  LiveHistory recovered = at_marks(3, {second});
  recovered.recovered = a_recovery().recovery;
  recovered.recovered->kept = 6;
  recovered.recovery_request = history.recovery_request;
  EXPECT_LE(encode(recovered).size(), net::longest_resume);
  EXPECT_EQ(decode_live_history(encode(recovered)), recovered);
  recovered.recovered->kept = 7;
  EXPECT_FALSE(decode_live_history(encode(recovered)));
  LiveHistory dealer;
  dealer.keeps_order = false;
  dealer.epoch = 3;
  dealer.settled = 7;
  EXPECT_EQ(decode_live_history(encode(dealer)), dealer);
  dealer.recovery_request.rebuild = true;
  EXPECT_FALSE(decode_live_history(encode(dealer)));
  dealer.recovery_request = {};
  dealer.marks = {first};
  EXPECT_FALSE(decode_live_history(encode(dealer)));
  EXPECT_FALSE(decode_live_history(encode(at_marks(3, {}))));
  EXPECT_FALSE(decode_live_history(encode(at_marks(3, {second}))));
  EXPECT_FALSE(decode_live_history(encode(at_marks(3, {second, first}))));
  EXPECT_FALSE(decode_live_history(encode(at_marks(2, {first, second})))) << "an epoch after the last";
  history.settled = 1;
  EXPECT_FALSE(decode_live_history(encode(history)));
}

TEST(LiveOrder, OpeningsFitTheHandshake) {
  const LiveOpening opening{4, 7, net::sha256("7"), {}};
  EXPECT_EQ(decode_live_opening(encode(opening)), opening);
  EXPECT_FALSE(decode_live_opening(encode(LiveOpening{0, 7, {}, {}})));
  LiveOpening recovery{4, 11, recovery_id(a_recovery(), 4), a_recovery()};
  EXPECT_LE(encode(recovery).size(), net::longest_resume);
  EXPECT_EQ(decode_live_opening(encode(recovery)), recovery);
  EXPECT_NE(recovery_id(a_recovery(), 5), recovery.id);
  recovery.number = 12;
  EXPECT_FALSE(decode_live_opening(encode(recovery)));
  recovery = {4, 10, net::sha256("10"), a_snapshot()};
  EXPECT_FALSE(decode_live_opening(encode(recovery)));
}

}  // namespace
}  // namespace sotto::apps::live
