#include "apps/live/roles/order_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {

OrderBook::OrderBook(const LiveRows& rows, const LiveSettings& settings, const RecoveryRequest& recovery_request)
    : most_learned_(settings.most_learned),
      agreement_{settings.agreement_window, settings.agreement_epsilon, settings.agreement_rows_per_subject},
      lift_{settings.lift_levels.size(), settings.agreement_window, settings.agreement_epsilon},
      epoch_(read_epoch_row(rows)) {
  rows.each(LiveTable::chain, [&](const RowKey& key, const LiveRow& bytes) {
    std::optional<ChainRow> row = decode_chain_row(bytes);
    if (!row || row->mark.number != number_of(key)) refuse_damaged("chain");
    chain_.push_back(std::move(*row));
    return true;
  });
  if (chain_.empty()) {
    ChainRow beginning;
    beginning.mode = settings.mode;
    chain_.push_back(std::move(beginning));
  }
  for (std::size_t i = 1; i < chain_.size(); ++i) {
    if (chain_[i].mark.number != chain_[i - 1].mark.number + 1) refuse_damaged("chain");
  }
  const bool begins = chain_.size() > 1 || last().mark.number == 0 || recovered();
  if (!begins || chain_.size() > most_chain_rows || last().mark.epoch > epoch_.epoch) refuse_damaged("chain");
  rows.each(LiveTable::batches, [&](const RowKey& key, const LiveRow& bytes) {
    const std::optional<BatchRow> row = decode_batch_row(bytes);
    if (!row || row->number != number_of(key)) refuse_damaged("batch");
    if (is_open(row->state)) open_batch(row->number, row->at, row->state, row->events.size());
    return true;
  });
  LiveTime latest = std::numeric_limits<LiveTime>::max();
  for (auto batch = open_.rbegin(); batch != open_.rend(); ++batch) {
    latest = batch->second.at = std::min(batch->second.at, latest);
  }
  rows.each(LiveTable::snapshots, [&](const RowKey& key, const LiveRow& bytes) {
    const std::optional<SnapshotRow> row = decode_snapshot_row(bytes);
    if (!row || row->name.number != number_of(key)) refuse_damaged("snapshot");
    snapshots_.push_back(row->name);
    return true;
  });
  take_recovery_request(recovery_request);
}

LiveHistory OrderBook::history() const {
  LiveHistory history;
  history.epoch = epoch_.epoch;
  const std::size_t offered = std::min(chain_.size(), most_marks);
  history.marks.reserve(offered);
  for (auto row = chain_.end() - static_cast<std::ptrdiff_t>(offered); row != chain_.end(); ++row) {
    history.marks.push_back(row->mark);
  }
  history.mode = mode();
  history.recovered = recovered();
  history.recovery_request = recovery_request_;
  return history;
}

const ChainRow* OrderBook::find(OrderNumber number) const {
  for (const ChainRow& row : chain_) {
    if (row.mark.number == number) return &row;
  }
  return nullptr;
}

BatchRow OrderBook::batch(const RowDraft& draft, OrderNumber number) const {
  const auto bytes = draft.get(key_of(LiveTable::batches, number));
  if (!bytes) throw std::logic_error("no such batch");
  std::optional<BatchRow> row = decode_batch_row(*bytes);
  if (!row) refuse_damaged("batch");
  return std::move(*row);
}

std::vector<EventId> OrderBook::events_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const {
  std::vector<EventId> events;
  for (const OrderNumber number : batches) {
    const BatchRow row = batch(draft, number);
    events.insert(events.end(), row.events.begin(), row.events.end());
  }
  return events;
}

std::string OrderBook::fault_of(const OrderEntry& entry, bool has_ids) const {
  if (!is_valid(entry)) return "no entry that there can be";
  const OrderMark& mark = last().mark;
  if (entry.number != mark.number + 1) return fmt::format("number {} after number {}", entry.number, mark.number);
  if (has_ids && entry.before != mark.id) {
    return fmt::format("number {} after another number {} ({}, not {})", entry.number, mark.number,
                       hex(std::span(entry.before).first(4)), hex(std::span(mark.id).first(4)));
  }
  if (entry.shape.kind == EntryKind::recovery) return "a recovery, with which only an epoch opens";
  if (entry.shape.kind == EntryKind::decide && entry.shape.secret != (mode() == LiveMode::apprentice)) {
    return fmt::format("a decide that is not of mode {}", name_of(mode()));
  }
  return entry.shape.kind == EntryKind::learn ? fault_of_learn(entry.batches, entry.shape) : std::string();
}

std::string OrderBook::fault_of(const BeginFrame& begin) const { return fault_of_learn(begin.batches, begin.shape); }

std::string OrderBook::fault_of_learn(const std::vector<OrderNumber>& batches, const ProgramShape& shape) const {
  if (mode() == LiveMode::frozen) return "a learn in mode frozen";
  if (shape.from != last().from) return "a learn of a model with other fraction bits";
  std::size_t events = 0;
  for (const OrderNumber number : batches) {
    const auto found = open_.find(number);
    if (found == open_.end() || has_just_learned(number)) {
      return fmt::format("a learn of batch {}, which is not to be learned", number);
    }
    events += found->second.events;
  }
  if (!has_room_for(events)) return "a learn of more events than the numbers of the model are wide enough for";
  if (events > shape.size) return fmt::format("a learn of {} events in a shape of {}", events, shape.size);
  return {};
}

void OrderBook::write_epoch(RowDraft& draft, const EpochRow& row) {
  draft.put(key_of(LiveTable::epoch, OrderNumber{0}), encode(row));
  epoch_ = row;
  recovery_request_.rebuild = false;
}

bool OrderBook::fills_window(const OrderEntry& entry) const {
  return entry.shape.secret && after(last().agreement, Compared{.events = entry.events.size()}, agreement_).is_full;
}

std::uint64_t OrderBook::events_in(const std::vector<OrderNumber>& batches) const {
  std::uint64_t events = 0;
  for (const OrderNumber number : batches) events += open_.at(number).events;
  return events;
}

bool OrderBook::fills_lift(const std::vector<OrderNumber>& batches) const {
  return fills(last().lift, events_in(batches), lift_);
}

namespace {

OrderTally tally_after(const OrderTally& before, const OrderTally& adds, const OrderEntry& entry) {
  OrderTally after = before;
  after.padding += adds.padding;
  after.missing += adds.missing;
  after.rewards_learned += adds.rewards_learned;
  after.clipped += adds.clipped;
  after.reward_sum += adds.reward_sum;
  if (entry.shape.kind == EntryKind::decide) ++after.decides;
  if (entry.shape.kind != EntryKind::learn) return after;
  ++after.learns;
  after.model = entry.number;
  return after;
}

}  // namespace

void OrderBook::append(RowDraft& draft, ChainRow row, Compared compared, LiftCounted lift) {
  row.mode = row.entry.shape.kind == EntryKind::mode ? row.entry.mode : mode();
  const bool is_shown = row.entry.shape.kind == EntryKind::decide && !row.entry.shape.secret;
  compared.events = row.entry.events.size();
  row.agreement = row.entry.shape.secret ? after(last().agreement, compared, agreement_) : last().agreement;
  row.decided = last().decided + (is_shown ? row.entry.events.size() : 0);
  lift.events = events_in(row.entry.batches);
  row.learned = last().learned + lift.events;
  row.lift = row.entry.shape.kind == EntryKind::learn ? after(last().lift, lift, lift_) : last().lift;
  if (row.entry.shape.kind != EntryKind::learn) row.from = last().from;
  row.tally = tally_after(last().tally, row.tally, row.entry);
  draft.put(key_of(LiveTable::chain, row.mark.number), encode(row));
  // Before entry 1, the chain has only a row with number 0 in memory. append() also writes this row, so that a rollback
  // to number 0 restores the first mode.
  if (last().mark.number == 0) draft.put(key_of(LiveTable::chain, OrderNumber{0}), encode(last()));
  chain_.push_back(std::move(row));
  if (chain_.size() <= most_chain_rows) return;
  draft.erase(key_of(LiveTable::chain, chain_.front().mark.number));
  chain_.erase(chain_.begin());
}

void OrderBook::add_batch(RowDraft& draft, const OrderEntry& entry, LiveTime at) {
  BatchRow row{entry.number, at, BatchState::pending, entry.events};
  if (mode() == LiveMode::frozen || entry.events.empty()) row.state = BatchState::never;
  draft.put(key_of(LiveTable::batches, row.number), encode(row));
  if (!is_open(row.state)) return;
  (void)turn_back(at);
  open_batch(row.number, at, row.state, row.events.size());
}

void OrderBook::open_batch(OrderNumber number, LiveTime at, BatchState state, std::size_t events) {
  const std::uint64_t before = open_.empty() ? 0 : open_.rbegin()->second.through;
  open_[number] = OpenBatch{at, state, events, before + events};
  pending_ += events;
}

bool OrderBook::has_just_learned(OrderNumber number) const {
  const auto& learned = last().entry.batches;
  return std::binary_search(learned.begin(), learned.end(), number);
}

std::uint64_t OrderBook::room() const {
  std::uint64_t learned = last().learned;
  for (const OrderNumber number : last().entry.batches) {
    const auto found = open_.find(number);
    if (found != open_.end()) learned -= found->second.events;
  }
  return most_learned_ > learned ? most_learned_ - learned : 0;
}

// Batches are learned in order. So if too few steps are left for a batch, no later batch is learned either.
bool OrderBook::fits(OpenBatches::const_iterator batch) const {
  if (has_room_for(pending_)) return true;
  const OpenBatch& first = open_.begin()->second;
  return batch->second.through - (first.through - first.events) <= room();
}

bool OrderBook::learning_has_ended() const {
  if (has_room_for(std::max<std::uint64_t>(pending_, 1))) return false;
  auto next = open_.begin();
  while (next != open_.end() && has_just_learned(next->first)) ++next;
  return next == open_.end() ? !has_room_for(1) : !fits(next);
}

bool OrderBook::takes_input(OrderNumber number) const {
  const auto batch = open_.find(number);
  return batch != open_.end() && batch->second.state == BatchState::pending && fits(batch);
}

bool OrderBook::is_learned(const RowDraft& draft, OrderNumber number) const {
  if (open_.contains(number)) return has_just_learned(number);
  const bool is_known = draft.get(key_of(LiveTable::batches, number)).has_value();
  return is_known && batch(draft, number).state == BatchState::learned;
}

bool OrderBook::is_never_learned(const RowDraft& draft, OrderNumber number) const {
  if (const auto open = open_.find(number); open != open_.end()) return !fits(open);
  const bool is_known = draft.get(key_of(LiveTable::batches, number)).has_value();
  return is_known && batch(draft, number).state == BatchState::never;
}

void OrderBook::set_state(RowDraft& draft, OrderNumber number, BatchState state) {
  BatchRow row = batch(draft, number);
  row.state = state;
  const auto found = open_.find(number);
  if (found != open_.end()) row.at = found->second.at;
  draft.put(key_of(LiveTable::batches, number), encode(row));
  if (found == open_.end()) return;
  found->second.state = state;
  if (is_open(state)) return;
  pending_ -= found->second.events;
  open_.erase(found);
}

void OrderBook::close(RowDraft& draft, const std::vector<OrderNumber>& batches) {
  for (const OrderNumber number : batches) {
    if (open_.at(number).state == BatchState::pending) set_state(draft, number, BatchState::closed);
  }
}

std::vector<OrderNumber> OrderBook::settle_last(RowDraft& draft) {
  std::vector<OrderNumber> learned;
  if (last().mark.number == 0 || last().entry.shape.kind != EntryKind::learn) return learned;
  for (const OrderNumber number : last().entry.batches) {
    if (!open_.contains(number)) continue;
    set_state(draft, number, BatchState::learned);
    learned.push_back(number);
  }
  return learned;
}

OrderBook::RolledBack OrderBook::roll_back(RowDraft& draft) {
  if (chain_.size() < 2) throw std::logic_error("nothing to roll back");
  RolledBack back{std::move(chain_.back()), {}};
  chain_.pop_back();
  const OrderNumber number = back.row.mark.number;
  draft.erase(key_of(LiveTable::chain, number));
  if (back.row.entry.shape.kind == EntryKind::snapshot) {
    draft.erase(key_of(LiveTable::snapshots, number));
    std::erase_if(snapshots_, [&](const SnapshotName& name) { return name.number == number; });
  }
  if (back.row.entry.shape.kind != EntryKind::decide) return back;
  back.events = batch(draft, number).events;
  draft.erase(key_of(LiveTable::batches, number));
  const auto found = open_.find(number);
  if (found == open_.end()) return back;
  pending_ -= found->second.events;
  open_.erase(found);
  return back;
}

LiveTime OrderBook::turn_back(LiveTime now) {
  if (open_.empty() || open_.rbegin()->second.at <= now) return 0;
  const LiveTime ahead = open_.rbegin()->second.at - now;
  for (auto batch = open_.rbegin(); batch != open_.rend() && batch->second.at > now; ++batch) batch->second.at = now;
  return ahead;
}

// If the clock was ahead, a batch may have a time in the future. Such a batch does not stop the search for old batches.
std::vector<BatchRow> OrderBook::find_old(const LiveRows& rows, LiveTime now, std::uint64_t remember,
                                          std::size_t most) {
  std::vector<BatchRow> old;
  rows.each(LiveTable::batches, [&](const RowKey&, const LiveRow& bytes) {
    std::optional<BatchRow> row = decode_batch_row(bytes);
    if (!row) refuse_damaged("batch");
    if (row->number >= chain_.front().mark.number) return false;
    if (row->at <= now && row->at + remember > now) return false;
    if (is_open(row->state)) return true;
    if (row->at > now) {
      ahead_.push_back(row->number);
    } else {
      old.push_back(std::move(*row));
    }
    return old.size() < most;
  });
  return old;
}

void OrderBook::forget(RowDraft& draft, const LiveRows& rows, LiveTime now, std::uint64_t remember, NumberIn number_in,
                       std::size_t most) {
  std::vector<BatchRow> old;
  if (ahead_.empty()) old = find_old(rows, now, remember, most);
  // The search for old batches begins with the first batch, so the rows of the last batches are corrected first. If the
  // process ends before all rows are corrected, the next process finds the remaining ones.
  for (std::size_t written = 0; written < most && !ahead_.empty(); ++written) {
    BatchRow row = batch(draft, ahead_.back());
    row.at = now;
    draft.put(key_of(LiveTable::batches, row.number), encode(row));
    ahead_.pop_back();
  }
  for (const BatchRow& row : old) {
    for (const EventId& event : row.events) {
      const RowKey key = key_of(LiveTable::events, event);
      const auto known = draft.get(key);
      if (known && number_in(*known) == row.number) draft.erase(key);
    }
    draft.erase(key_of(LiveTable::used, row.number));
    draft.erase(key_of(LiveTable::batches, row.number));
  }
  forgets_more_ = old.size() == most || !ahead_.empty();
}

}  // namespace sotto::apps::live
