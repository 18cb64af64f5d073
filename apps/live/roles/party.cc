#include "apps/live/roles/party.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "apps/live/roles/archive.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

[[noreturn]] void refuse_entry(const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::unexpected, "actor", 0, "the actor proposes " + what);
}

UsedRow used_row(const LiveRow& bytes) {
  const std::optional<UsedRow> row = decode_used_row(bytes);
  if (!row) refuse_damaged("event");
  return *row;
}

PushStatus compared(const std::optional<PushedFeatures>& used, const FeatureValues& values) {
  return used && used->values == values ? PushStatus::same : PushStatus::too_late;
}

}  // namespace

LiveParty::LiveParty(LiveRows& rows, const LiveSettings& settings, FeatureValues defaults, Noise noise,
                     const RecoveryRequest& recovery_request, const PartyGuards& guards)
    : rows_(rows),
      settings_(settings),
      defaults_(std::move(defaults)),
      noise_(std::move(noise)),
      book_(rows, settings, recovery_request),
      queue_(rows),
      figures_(rows),
      subjects_(rows, guards.limits),
      window_(rows),
      lift_window_(rows, LiveTable::lift_window),
      account_(guards.account) {}

void LiveParty::open(const LiveOpening& opening, const net::SessionId& session, const Convert& convert) {
  leave_epoch();
  const ChainRow* const at = book_.find(opening.number);
  const bool has_number = at != nullptr && at->mark.id == opening.id && book_.last().mark.number <= opening.number + 1;
  if (opening.epoch <= book_.epoch().epoch || (!has_number && !opening.recovery)) {
    throw DisagreementError(fmt::format(
        "the roles would open epoch {} after number {}, and this party has opened epoch {} and done number {}; "
        "nothing was changed",
        opening.epoch, opening.number, book_.epoch().epoch, book_.last().mark.number));
  }
  RowDraft draft(rows_);
  if (opening.recovery) {
    recover(draft, opening, convert);
    window_.begin(draft, book_.last().mark.number + 1);
    if (settings_.lift) lift_window_.begin(draft, book_.last().mark.number + 1);
  }
  if (book_.last().mark.number > opening.number) roll_back(draft);
  EpochRow epoch = book_.epoch();
  epoch.epoch = opening.epoch;
  epoch.session = session;
  book_.write_epoch(draft, epoch);
  figures_.put(draft);
  draft.commit();
  last_decide_ = last_learn_ = 0;
  is_open_ = true;
}

void LiveParty::roll_back(RowDraft& draft) {
  const OrderBook::RolledBack back = book_.roll_back(draft);
  const OrderNumber number = back.row.mark.number;
  if (back.row.entry.shape.kind == EntryKind::learn) {
    draft.erase(key_of(LiveTable::models, number));
    lift_window_.take_back(draft, number);
  }
  if (back.row.entry.shape.kind != EntryKind::decide) return;
  window_.take_back(draft, number);
  const BatchFeatures features = used(draft, number);
  draft.erase(key_of(LiveTable::used, number));
  draft.erase(key_of(LiveTable::archive, number));
  for (std::size_t i = 0; i < back.events.size(); ++i) {
    const RowKey event = key_of(LiveTable::events, back.events[i]);
    if (const auto row = draft.get(event); row && decided_in(*row) == number) draft.erase(event);
    if (features.at(i)) queue_.put(draft, back.events[i], *features[i]);
  }
}

RestateFrame LiveParty::restate(bool with_lanes) const {
  const ChainRow& last = book_.last();
  if (!is_open_ || last.mark.number == 0) throw std::logic_error("nothing to restate");
  RestateFrame frame{last.mark.id, last.mark.epoch, last.entry, {}, {}};
  if (!with_lanes) return frame;
  frame.lanes = last.lanes;
  for (std::uint32_t place = 0; place < last.entry.events.size(); ++place) {
    const auto row = rows_.get(key_of(LiveTable::events, last.entry.events[place]));
    if (!row || decided_in(*row) != last.mark.number) frame.refused.push_back(place);
  }
  return frame;
}

void LiveParty::leave_epoch() {
  running_.reset();
  concurrent_.reset();
}

void LiveParty::begin(const BeginFrame& learn) {
  if (!is_open_) throw std::logic_error("no epoch is open");
  if (running_ || concurrent_) refuse_entry("a learn while another number is on its way");
  if (const std::string fault = book_.fault_of(learn); !fault.empty()) refuse_entry(fault);
  if (learn.program <= last_learn_ || learn.program == last_decide_) refuse_entry("a program that has been passed");
  last_learn_ = learn.program;
  concurrent_ = learn;
  count_lift();
}

void LiveParty::propose(const OrderEntry& entry, LiveTime now) {
  if (!is_open_) throw std::logic_error("no epoch is open");
  if (running_) refuse_entry("a number while another is on its way");
  if (const std::string fault = book_.fault_of(entry, true); !fault.empty()) refuse_entry(fault);
  const bool learns = entry.shape.kind == EntryKind::learn;
  if (learns && (!concurrent_ || !is_of(entry, *concurrent_))) refuse_entry("a learn that has not begun");
  const bool decides = entry.shape.kind == EntryKind::decide;
  const bool passed = entry.program <= last_decide_ || entry.program == last_learn_;
  if (decides && passed) refuse_entry("a program that has been passed");
  if (decides) last_decide_ = entry.program;
  running_ = Running{entry, now + entry.cut_off, std::nullopt, {}, {}, {}};
  for (std::uint32_t place = 0; place < entry.events.size(); ++place) {
    if (rows_.get(key_of(LiveTable::events, entry.events[place]))) {
      running_->refused.push_back(place);
    } else {
      running_->missing.push_back(place);
    }
  }
  find_missing();
}

LiveTime LiveParty::cut_off() const {
  if (!running_) throw std::logic_error("nothing is on its way");
  return running_->cut_off;
}

bool LiveParty::has_all_features() const { return missing_places().empty(); }

const std::vector<std::size_t>& LiveParty::missing_places() const {
  if (!running_) throw std::logic_error("nothing is on its way");
  return running_->missing;
}

void LiveParty::find_missing() {
  std::erase_if(running_->missing, [&](std::size_t place) {
    return running_->at_hand.contains(place) ||
           rows_.get(key_of(LiveTable::features, running_->entry.events[place])).has_value();
  });
}

void LiveParty::supply(std::size_t place, FeatureValues values, const std::string& subject, LiveTime now) {
  if (!running_ || running_->frozen || place >= running_->entry.events.size()) throw std::logic_error("no such place");
  if (values.size() != defaults_.size()) throw std::invalid_argument("features of the party's columns");
  running_->at_hand[place] = PushedFeatures{now, std::move(values), subject};
  std::erase(running_->missing, place);
}

BatchFeatures LiveParty::used(const RowDraft& draft, OrderNumber number) const {
  const auto bytes = draft.get(key_of(LiveTable::used, number));
  if (!bytes) throw std::logic_error("the features of a batch are gone");
  std::optional<BatchFeatures> features = decode_batch_features(*bytes);
  if (!features) refuse_damaged("features of a batch");
  return std::move(*features);
}

std::uint64_t LiveParty::shown_share() const {
  if (!running_ || !running_->entry.shape.secret) throw std::logic_error("no secret decide is on its way");
  return book_.opens_agreement() ? book_.last().agreement.share : 0;
}

std::vector<FeatureValues> LiveParty::learned_rows() const {
  if (!concurrent_) throw std::logic_error("no learn has begun");
  const RowDraft rows(rows_);
  std::vector<FeatureValues> values;
  for (const OrderNumber number : concurrent_->batches) {
    for (const auto& of_event : used(rows, number)) values.push_back(of_event ? of_event->values : defaults_);
  }
  return values;
}

// After a later entry is done, a learn is never rolled back, so the features are no longer needed.
void LiveParty::erase_learned(RowDraft& draft) {
  for (const OrderNumber number : book_.settle_last(draft)) {
    if (is_kept(draft, number)) continue;
    draft.erase(key_of(LiveTable::used, number));
    draft.erase(key_of(LiveTable::archive, number));
  }
}

// Whether the rows of a decide stay beyond its learn.
bool LiveParty::is_kept(const RowDraft& draft, OrderNumber number) const {
  return settings_.archive > 0 && draft.get(key_of(LiveTable::archive, number)).has_value();
}

void LiveParty::put_archive(RowDraft& draft, const OrderEntry& entry, std::vector<std::uint8_t> best, LiveTime now) {
  if (!settings_.keeps_best() || entry.shape.secret || entry.events.empty()) return;
  if (best.size() < entry.events.size()) throw std::logic_error("a bit for each event of a decide");
  best.resize(entry.events.size());
  ArchiveRow row{now, book_.last().mark.id, std::move(best), {}};
  for (const auto& subject : running_->subjects) {
    row.subjects.push_back(subject ? std::optional(ArchivedSubject{subject->name, subject->named_by}) : std::nullopt);
  }
  draft.put(key_of(LiveTable::archive, entry.number), encode(row));
}

// Numbers and times ascend together. If the clock was set back, rows stay longer.
void LiveParty::forget_archive(RowDraft& draft, LiveTime now) {
  constexpr std::size_t most = 64;
  std::vector<OrderNumber> old;
  rows_.each(LiveTable::archive, [&](const RowKey& key, const LiveRow& bytes) {
    const std::optional<ArchiveRow> row = decode_archive_row(bytes);
    if (!row) refuse_damaged("archive");
    const OrderNumber number = number_of(key);
    if (row->at + settings_.archive > now || book_.open_batches().contains(number)) return false;
    old.push_back(number);
    return old.size() < most;
  });
  for (const OrderNumber number : old) {
    draft.erase(key_of(LiveTable::used, number));
    draft.erase(key_of(LiveTable::archive, number));
  }
  archive_has_more_ = old.size() == most;
}

// The model before the learn stays stored too, because the learn may be rolled back.
void LiveParty::put_model(RowDraft& draft, OrderNumber number, std::vector<std::byte> model) {
  std::vector<RowKey> kept;
  rows_.each(LiveTable::models, [&](const RowKey& key, const LiveRow&) {
    kept.push_back(key);
    return true;
  });
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) draft.erase(kept[i]);
  draft.put(key_of(LiveTable::models, number), std::move(model));
}

DoneFrame LiveParty::prepare(PartyOutcome outcome, LiveTime now) {
  if (!running_) throw std::logic_error("nothing is on its way");
  const OrderEntry& entry = running_->entry;
  const EntryKind kind = entry.shape.kind;
  if (kind == EntryKind::decide && !running_->frozen) throw std::logic_error("the features are not frozen");
  ChainRow row;
  row.entry = entry;
  row.lanes = std::move(outcome.lanes);
  const net::Digest digest = digest_of(entry);
  const OrderPlace place{book_.last().mark.id, book_.epoch().session, book_.epoch().epoch};
  row.mark = OrderMark{entry.number, order_id(place, entry.number, digest, outcome.public_words), place.epoch, digest};
  const RefusedPlaces& refused = running_->refused;
  DoneFrame done{entry.number, row.mark.id, refused};
  Compared compared;
  compared.share = outcome.agreed;
  if (book_.fills_window(entry)) {
    if (!noise_) throw std::logic_error("a window is full, and there is no noise");
    compared.share += static_cast<std::uint64_t>(noise_());
  }
  if (kind == EntryKind::decide) {
    const BatchFeatures& used = *running_->frozen;
    const auto empty = static_cast<std::uint64_t>(std::count(used.begin(), used.end(), std::nullopt));
    row.tally.missing = empty - refused.size() - running_->withheld;
  }
  RowDraft draft(rows_);
  erase_learned(draft);
  LiftCounted lift;
  if (kind == EntryKind::learn) lift = lift_of(draft, entry, std::move(outcome.lift));
  book_.append(draft, std::move(row), compared, std::move(lift));
  if (kind == EntryKind::learn) put_model(draft, entry.number, std::move(outcome.model));
  if (kind == EntryKind::snapshot) {
    const ChainRow& last = book_.last();
    const SnapshotName name{entry.number, done.digest, last.learned, last.from};
    book_.put_snapshot(draft, {name, false, model().value_or(LiveRow{})});
  }
  if (kind == EntryKind::decide) {
    book_.add_batch(draft, entry, now);
    count_subjects(draft);
    draft.put(key_of(LiveTable::used, entry.number), encode(*running_->frozen));
    put_archive(draft, entry, std::move(outcome.best), now);
    for (std::uint32_t i = 0; i < entry.events.size(); ++i) {
      if (std::binary_search(refused.begin(), refused.end(), i)) continue;
      put_used(draft, entry.events[i], entry.number, (*running_->frozen)[i]);
    }
  }
  figures_.put(draft);
  draft.commit();
  if (account_ != nullptr && book_.mode() != LiveMode::apprentice) account_->rest();
  if (kind == EntryKind::learn) concurrent_.reset();
  running_.reset();
  return done;
}

// Features from the party's table are counted only when they are used.
void LiveParty::put_used(RowDraft& draft, const EventId& event, OrderNumber number,
                         const std::optional<PushedFeatures>& features) {
  const bool was_pushed = queue_.take(draft, event);
  UsedRow row{number, true, std::nullopt};
  if (features) row.digest = digest_of(features->values);
  draft.put(key_of(LiveTable::events, event), encode(row));
  if (!features || was_pushed) return;
  ++figures_.change().features;
  figures_.add(features->values);
}

void LiveParty::settle(const SettledFrame& frame) {
  const OrderMark& last = book_.last().mark;
  if (running_ || frame.number != last.number || frame.id != last.id) {
    refuse_entry(
        fmt::format("that number {} is settled, and this party has done number {}", frame.number, last.number));
  }
  RowDraft draft(rows_);
  erase_learned(draft);
  figures_.put(draft);
  draft.commit();
}

std::optional<std::vector<std::byte>> LiveParty::model() const {
  std::optional<std::vector<std::byte>> newest;
  rows_.each(LiveTable::models, [&](const RowKey&, const LiveRow& row) {
    newest = row;
    return true;
  });
  return newest;
}

OrderNumber LiveParty::decided_in(const LiveRow& event) { return used_row(event).number; }

std::optional<PushStatus> LiveParty::status_of_used(const RowDraft& draft, const FeaturePush& call) const {
  if (running_ && running_->frozen) {
    const auto& events = running_->entry.events;
    const auto found = std::find(events.begin(), events.end(), call.event);
    const auto place = static_cast<std::size_t>(found - events.begin());
    if (found != events.end()) return compared(running_->frozen->at(place), call.values);
  }
  const auto decided = draft.get(key_of(LiveTable::events, call.event));
  if (!decided) return std::nullopt;
  const UsedRow row = used_row(*decided);
  if (row.says_used) return row.digest == digest_of(call.values) ? PushStatus::same : PushStatus::too_late;
  const OrderNumber number = row.number;
  if (!draft.get(key_of(LiveTable::used, number))) return PushStatus::decided;
  const auto events = book_.batch(draft, number).events;
  const auto place = static_cast<std::size_t>(std::find(events.begin(), events.end(), call.event) - events.begin());
  return compared(used(draft, number).at(place), call.values);
}

PushStatus LiveParty::push_one(RowDraft& draft, const FeaturePush& call, LiveTime now) {
  if (call.values.size() != defaults_.size()) throw std::invalid_argument("features of the party's columns");
  if (const auto status = status_of_used(draft, call)) return *status;
  if (const auto known = queue_.find(draft, call.event)) {
    const bool is_same = known->values == call.values && known->subject == call.subject;
    return is_same ? PushStatus::same : PushStatus::conflict;
  }
  if (queue_.waiting() >= settings_.max_pending) return PushStatus::full;
  queue_.put(draft, call.event, PushedFeatures{now, call.values, call.subject});
  figures_.add(call.values);
  return PushStatus::stored;
}

std::vector<PushStatus> LiveParty::push(std::span<const FeaturePush> calls, LiveTime now) {
  RowDraft draft(rows_);
  std::vector<PushStatus> results;
  results.reserve(calls.size());
  for (const FeaturePush& call : calls) {
    const PushStatus status = push_one(draft, call, now);
    results.push_back(status);
    if (status == PushStatus::stored) ++figures_.change().features;
    if (status == PushStatus::too_late || status == PushStatus::decided) ++figures_.change().late_features;
  }
  figures_.put(draft);
  draft.commit();
  if (running_ && !running_->frozen) find_missing();
  return results;
}

std::optional<EventView> LiveParty::view(const EventId& event) const {
  const RowDraft rows(rows_);
  EventView view;
  if (const auto decided = rows.get(key_of(LiveTable::events, event))) {
    view.state = "used";
    view.number = used_row(*decided).number;
    if (rows.get(key_of(LiveTable::batches, view.number))) view.at = book_.batch(rows, view.number).at;
    view.learned = book_.is_learned(rows, view.number);
    return view;
  }
  const auto waits = queue_.find(rows, event);
  if (!waits) return std::nullopt;
  view.state = "waiting";
  view.at = waits->at;
  return view;
}

std::size_t LiveParty::forget(LiveTime now) {
  (void)book_.turn_back(now);
  queue_.turn_back(now);
  RowDraft draft(rows_);
  const LiveTime oldest = now > settings_.feature_wait ? now - settings_.feature_wait : 0;
  // While a decide runs, no features are dropped, because its events may need them.
  const std::size_t dropped = running_ ? 0 : queue_.drop_before(draft, oldest);
  forget_archive(draft, now);
  book_.forget(draft, rows_, now, settings_.remember, decided_in);
  window_.forget(draft, rows_);
  lift_window_.forget(draft, rows_);
  subjects_.put_together(draft);
  if (dropped > 0) figures_.change().dropped_features += dropped;
  if (is_open_) {
    figures_.note(now,
                  {static_cast<double>(figures_.figures().features), static_cast<double>(book_.last().tally.missing)});
  }
  figures_.put(draft, true);
  draft.commit();
  return dropped;
}

void LiveParty::write_figures() {
  RowDraft draft(rows_);
  figures_.put(draft, true);
  draft.commit();
}

}  // namespace sotto::apps::live
