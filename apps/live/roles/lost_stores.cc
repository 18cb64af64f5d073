// How the order book and the roles recover after a store was lost.

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "apps/live/roles/actor.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/party.h"
#include "apps/live/roles/rewarder.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

std::string listed(const std::vector<SnapshotName>& snapshots) {
  std::string text = "0";
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

void OrderBook::take_recovery_request(const RecoveryRequest& recovery_request) {
  recovery_request_ = recovery_request;
  // If the store has recorded an epoch, the store is not lost.
  if (epoch_.epoch > 0) recovery_request_.rebuild = false;
  // If a service begins from another service's model, its first entry is a recovery that goes back to this model.
  const bool begins = last().mark.number == 0 && !snapshots_.empty() && snapshots_.front().number == 0;
  if (begins && !recovery_request_.go_back) {
    recovery_request_.go_back = true;
    recovery_request_.snapshot = 0;
  }
  // The parties go back to a copy only once, even if the role is started with the same request again.
  if (epoch_.gone_back_at > 0 && epoch_.gone_back_to == recovery_request_.snapshot) recovery_request_.go_back = false;
  if (!recovery_request_.go_back) return;
  const auto found = std::find_if(snapshots_.begin(), snapshots_.end(),
                                  [&](const SnapshotName& name) { return name.number == recovery_request_.snapshot; });
  if (found != snapshots_.end()) {
    recovery_request_.model = found->id;
    recovery_request_.learned = found->learned;
    recovery_request_.from = found->from;
  } else if (recovery_request_.snapshot != 0) {
    throw InputError(
        fmt::format("--from-snapshot {}: this store has no such copy of the model, but {}; nothing was "
                    "changed",
                    recovery_request_.snapshot, listed(snapshots_)));
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
  if (!recovered() && last().mark.number > recovery.kept) throw std::logic_error("what was not told is still there");
  ChainRow row;
  row.mark = OrderMark{entry.number, has_id ? opening.id : bandit::CheckpointId{}, opening.epoch, digest_of(entry)};
  row.mode = entry.mode;
  row.restated = last().restated;
  row.agreement = with_new_window(last().agreement);
  row.lift = with_new_window(last().lift);
  row.decided = of_lost ? of_lost->decided : last().decided;
  row.learned = of_lost ? of_lost->learned : last().learned;
  row.from = recovery.snapshot ? recovery.from : of_lost ? of_lost->from : last().from;
  row.tally = last().tally;
  if (of_lost) row.tally.model = of_lost->model;
  if (recovery.snapshot) {
    epoch_.dropped += row.learned > recovery.learned ? row.learned - recovery.learned : 0;
    row.learned = recovery.learned;
    row.tally.model = recovery.model == bandit::CheckpointId{} ? 0 : entry.number;
    epoch_.gone_back_to = recovery_request_.go_back ? recovery_request_.snapshot : epoch_.gone_back_to;
    epoch_.gone_back_at = entry.number;
  }
  row.entry = entry;
  for (const ChainRow& before : chain_) draft.erase(key_of(LiveTable::chain, before.mark.number));
  draft.put(key_of(LiveTable::chain, entry.number), encode(row));
  chain_.assign(1, row);
  recovery_request_.go_back = false;
  recovery_request_.rebuild = false;
}

void OrderBook::adopt(RowDraft& draft, const KnownBatch& batch, bool drops) {
  const BatchState kept = drops ? BatchState::never : BatchState::pending;
  const BatchRow row{batch.number, batch.at, batch.open ? kept : BatchState::learned, batch.events};
  draft.put(key_of(LiveTable::batches, row.number), encode(row));
  if (is_open(row.state) && !open_.contains(row.number)) open_batch(row.number, row.at, row.state, row.events.size());
}

void OrderBook::put_snapshot(RowDraft& draft, const SnapshotRow& row) {
  // If a recovery is repeated, the new copy replaces the copy of the first attempt.
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

void LiveActor::adopt(const KnownFrame& known) {
  const auto recovered = book_.recovered();
  if (!book_.recovery_request().rebuild && !(recovered && recovered->actor)) {
    throw ProtocolError(ProtocolError::Kind::unexpected, "party 0", 0,
                        "the parties tell of batches to an actor whose store is not lost");
  }
  const OrderBook::Counts before = adopted_.value_or(OrderBook::Counts{});
  adopted_ = {std::max(before.decided, known.decided), std::max(before.learned, known.learned),
              std::max(before.model, known.model), known.from};
  RowDraft draft(rows_);
  for (const KnownBatch& batch : known.batches) {
    book_.adopt(draft, batch, true);  // the batch is not learned, because its arms are lost
    const DecisionRow lost{DecisionState::lost, 0, batch.number, batch.at, false, {}};
    for (const EventId& event : batch.events) draft.put(key_of(LiveTable::events, event), encode(lost));
  }
  std::vector<EventId> answered;
  for (const KnownBatch& batch : known.batches) {
    for (const EventId& event : batch.events) {
      if (waiting_.find(event) == nullptr) continue;
      answered.push_back(event);
      erase_kept(draft, event);
    }
  }
  draft.commit();
  for (const EventId& event : answered) waiting_.remove(event);
}

void LiveActor::recover(RowDraft& draft, const LiveOpening& opening) {
  const OrderRecovery& recovery = opening.recovery.value().recovery;
  const auto recovered = book_.recovered();
  const OrderNumber kept = recovered ? recovered->kept : book_.last().mark.number;
  const bool is_lost = recovery.actor && book_.recovery_request().rebuild;
  if (!agrees(recovery, book_.recovery_request(), recovered, false, true) || (!is_lost && kept != recovery.kept)) {
    throw DisagreementError(
        "the roles would open an epoch with a recovery that the actor has no flag for; nothing was changed");
  }
  (void)book_.settle_last(draft);
  if (recovery.snapshot || recovery.actor) (void)book_.drop_batches(draft);
  book_.recover(draft, opening, true, is_lost ? adopted_ : std::nullopt);
}

void LiveParty::recover(RowDraft& draft, const LiveOpening& opening, const Convert& convert) {
  const OrderEntry& entry = opening.recovery.value();
  const OrderRecovery& recovery = entry.recovery;
  if (!agrees(recovery, book_.recovery_request(), book_.recovered(), true, false) ||
      (!book_.recovered() && book_.last().mark.number > recovery.kept + 1)) {
    throw DisagreementError(
        "the roles would open an epoch with a recovery that this party has no flag for; nothing was changed");
  }
  if (!book_.recovered() && book_.last().mark.number > recovery.kept) roll_back(draft);
  erase_learned(draft);
  if (recovery.snapshot || recovery.actor) {
    for (const OrderNumber number : book_.drop_batches(draft)) {
      if (is_kept(draft, number)) continue;
      draft.erase(key_of(LiveTable::used, number));
      draft.erase(key_of(LiveTable::archive, number));
    }
  }
  if (recovery.snapshot) go_back(draft, entry, convert);
  book_.recover(draft, opening, true, std::nullopt);
}

void LiveParty::go_back(RowDraft& draft, const OrderEntry& entry, const Convert& convert) {
  SnapshotRow copy;
  rows_.each(LiveTable::snapshots, [&](const RowKey&, const LiveRow& bytes) {
    std::optional<SnapshotRow> row = decode_snapshot_row(bytes);
    if (!row) refuse_damaged("snapshot");
    if (row->name.id != entry.recovery.model) return true;
    copy = std::move(*row);
    return false;
  });
  if (copy.name.id != entry.recovery.model) throw std::logic_error("the copy of the model is gone");
  if (copy.imported) {
    if (!convert) throw std::logic_error("an imported model, and nothing that converts it");
    copy.model = convert(copy.model);
    copy.imported = false;
  }
  rows_.each(LiveTable::models, [&](const RowKey& key, const LiveRow&) {
    draft.erase(key);
    return true;
  });
  if (!copy.model.empty()) draft.put(key_of(LiveTable::models, entry.number), copy.model);
  copy.name.number = entry.number;
  book_.put_snapshot(draft, copy);
}

std::vector<KnownFrame> LiveParty::known(std::size_t most) const {
  std::vector<KnownFrame> frames(1);
  std::size_t events = 0;
  rows_.each(LiveTable::batches, [&](const RowKey&, const LiveRow& bytes) {
    std::optional<BatchRow> row = decode_batch_row(bytes);
    if (!row) refuse_damaged("batch");
    const bool is_full = events + row->events.size() > most || frames.back().batches.size() == most_known;
    if (is_full && !frames.back().batches.empty()) {
      frames.emplace_back();
      events = 0;
    }
    events += row->events.size();
    frames.back().batches.push_back({row->number, row->at, is_open(row->state), std::move(row->events)});
    return true;
  });
  for (KnownFrame& frame : frames) {
    frame.decided = book_.last().decided;
    frame.learned = book_.last().learned;
    frame.model = book_.last().tally.model;
    frame.from = book_.last().from;
  }
  frames.back().last = true;
  return frames;
}

void LiveRewarder::adopt(const KnownFrame& known) {
  const auto recovered = book_.recovered();
  if (!book_.recovery_request().rebuild && !(recovered && recovered->rewarder)) {
    throw ProtocolError(ProtocolError::Kind::unexpected, "party 0", 0,
                        "party 0 tells of batches to a rewarder whose store is not lost");
  }
  adopted_ = {known.decided, known.learned, known.model, known.from};
  RowDraft draft(rows_);
  for (const KnownBatch& batch : known.batches) {
    book_.adopt(draft, batch);
    for (const EventId& event : batch.events) {
      // Rewards that arrived after the store was lost are not erased.
      RewardRow row = stored(draft, event).value_or(RewardRow{});
      row.number = batch.number;
      row.at = batch.at;
      draft.put(key_of(LiveTable::events, event), encode(row));
    }
  }
  draft.commit();
}

void LiveRewarder::recover(RowDraft& draft, const LiveOpening& opening, LiveTime now) {
  const OrderRecovery& recovery = opening.recovery.value().recovery;
  if (!agrees(recovery, book_.recovery_request(), book_.recovered(), false, false) ||
      (!book_.recovered() && book_.last().mark.number > recovery.kept + 1)) {
    throw DisagreementError(
        "the roles would open an epoch with a recovery that the rewarder has no flag for; nothing was changed");
  }
  if (!book_.recovered() && book_.last().mark.number > recovery.kept) roll_back(draft, now);
  (void)book_.settle_last(draft);
  if (recovery.snapshot || recovery.actor) (void)book_.drop_batches(draft);
  const bool is_lost = recovery.rewarder && !book_.recovered();
  book_.recover(draft, opening, false, is_lost ? adopted_ : std::nullopt);
}

}  // namespace sotto::apps::live
