// What an order book does where a store was lost.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "apps/live/roles/order_book.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

std::string listed(const std::vector<SnapshotName>& snapshots) {
  std::string text = "0";  // the empty model
  for (const SnapshotName& name : snapshots) {
    if (name.number > 0) text += fmt::format(", {}", name.number);
  }
  return text;
}

}  // namespace

std::optional<OrderRecovery> OrderBook::recovered() const {
  const OrderEntry& entry = last().entry;
  if (last().mark.number == 0 || entry.shape.kind != EntryKind::recovery) return std::nullopt;
  return entry.recovery;
}

void OrderBook::take_wish(const LiveWish& wish) {
  wish_ = wish;
  // A store that has taken part is not lost.
  if (epoch_.epoch > 0) wish_.rebuild = false;
  // A service that begins from another one's model goes back to that before it does anything else.
  const bool begins = last().mark.number == 0 && !snapshots_.empty() && snapshots_.front().number == 0;
  if (begins && !wish_.go_back) {
    wish_.go_back = true;
    wish_.snapshot = 0;
  }
  // Told once, done once, however often the role is started so.
  if (epoch_.gone_back_at > 0 && epoch_.gone_back_to == wish_.snapshot) wish_.go_back = false;
  if (!wish_.go_back) return;
  const auto found = std::find_if(snapshots_.begin(), snapshots_.end(),
                                  [&](const SnapshotName& name) { return name.number == wish_.snapshot; });
  if (found != snapshots_.end()) {
    wish_.model = found->id;
    wish_.learned = found->learned;
    wish_.from = found->from;
  } else if (wish_.snapshot != 0) {
    throw InputError(
        fmt::format("--from-snapshot {}: this store has no such copy of the model, but {}; nothing was "
                    "changed",
                    wish_.snapshot, listed(snapshots_)));
  }
}

std::vector<OrderNumber> OrderBook::drop_batches(RowDraft& draft) {
  std::vector<OrderNumber> dropped;
  dropped.reserve(open_.size());
  for (const auto& [number, batch] : open_) {
    dropped.push_back(number);
    epoch_.dropped += batch.events;
  }
  for (const OrderNumber number : dropped) set_state(draft, number, BatchState::never);
  return dropped;
}

void OrderBook::recover(RowDraft& draft, const LiveOpening& opening, bool has_id,
                        const std::optional<Counts>& of_lost) {
  const OrderEntry& entry = opening.recovery.value();
  const OrderRecovery& recovery = entry.recovery;
  if (!recovered() && last().mark.number > recovery.told) throw std::logic_error("what was not told is still there");
  ChainRow row;
  row.mark = OrderMark{entry.number, has_id ? opening.id : bandit::CheckpointId{}, opening.epoch, digest_of(entry)};
  row.mode = entry.mode;
  row.restated = last().restated;
  row.agreement = with_new_window(last().agreement);
  row.decided = of_lost ? of_lost->decided : last().decided;
  row.learned = of_lost ? of_lost->learned : last().learned;
  row.from = recovery.snapshot ? recovery.from : of_lost ? of_lost->from : last().from;
  row.tally = last().tally;
  if (of_lost) row.tally.model = of_lost->model;
  if (recovery.snapshot) {
    // What the model had learned since is lost.
    epoch_.dropped += row.learned > recovery.learned ? row.learned - recovery.learned : 0;
    row.learned = recovery.learned;
    row.tally.model = recovery.model == bandit::CheckpointId{} ? 0 : entry.number;
    epoch_.gone_back_to = wish_.go_back ? wish_.snapshot : epoch_.gone_back_to;
    epoch_.gone_back_at = entry.number;
  }
  row.entry = entry;
  for (const ChainRow& before : chain_) draft.erase(key_of(LiveTable::chain, before.mark.number));
  draft.put(key_of(LiveTable::chain, entry.number), encode(row));
  chain_.assign(1, row);
  wish_.go_back = false;
  wish_.rebuild = false;
}

void OrderBook::adopt(RowDraft& draft, const KnownBatch& batch, bool drops) {
  const BatchState kept = drops ? BatchState::never : BatchState::pending;
  const BatchRow row{batch.number, batch.at, batch.open ? kept : BatchState::learned, batch.events};
  draft.put(key_of(LiveTable::batches, row.number), encode(row));
  if (is_open(row.state) && !open_.contains(row.number)) open_batch(row.number, row.at, row.state, row.events.size());
}

void OrderBook::put_snapshot(RowDraft& draft, const SnapshotRow& row) {
  // A recovery that is made again has one copy.
  if (recovered() && !snapshots_.empty() && snapshots_.back().number == last().mark.number) {
    draft.erase(key_of(LiveTable::snapshots, snapshots_.back().number));
    snapshots_.pop_back();
  }
  draft.put(key_of(LiveTable::snapshots, row.name.number), encode(row));
  std::erase_if(snapshots_, [&](const SnapshotName& name) { return name.number == row.name.number; });
  snapshots_.push_back(row.name);
  if (snapshots_.size() <= most_snapshots) return;
  draft.erase(key_of(LiveTable::snapshots, snapshots_.front().number));
  snapshots_.erase(snapshots_.begin());
}

}  // namespace sotto::apps::live
