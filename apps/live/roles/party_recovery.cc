// What a party does where a store was lost.
#include <stdexcept>
#include <utility>

#include "apps/live/roles/party.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

void LiveParty::recover(RowDraft& draft, const LiveOpening& opening, const Convert& convert) {
  const OrderEntry& entry = opening.recovery.value();
  const OrderRecovery& recovery = entry.recovery;
  if (!agrees(recovery, book_.wish(), book_.recovered(), true, false) ||
      (!book_.recovered() && book_.last().mark.number > recovery.told + 1)) {
    throw DisagreementError(
        "the roles would open an epoch with a recovery that this party was not told of; nothing was changed");
  }
  if (!book_.recovered() && book_.last().mark.number > recovery.told) roll_back(draft);
  erase_learned(draft);
  if (recovery.snapshot || recovery.actor) {
    for (const OrderNumber number : book_.drop_batches(draft)) draft.erase(key_of(LiveTable::used, number));
  }
  if (recovery.snapshot) go_back(draft, entry, convert);
  book_.recover(draft, opening, true, std::nullopt);
}

// The model becomes the copy, which is kept under the recovery's number too.
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

}  // namespace sotto::apps::live
