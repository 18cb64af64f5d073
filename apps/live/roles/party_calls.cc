// What a party's own side pushes.
#include <algorithm>
#include <stdexcept>

#include "apps/live/roles/party.h"

namespace sotto::apps::live {
namespace {

UsedRow used_row(const LiveRow& bytes) {
  const std::optional<UsedRow> row = decode_used_row(bytes);
  if (!row) refuse_damaged("event");
  return *row;
}

PushStatus compared(const std::optional<PushedFeatures>& used, const FeatureValues& values) {
  return used && used->values == values ? PushStatus::same : PushStatus::too_late;
}

}  // namespace

OrderNumber LiveParty::decided_in(const LiveRow& event) { return used_row(event).number; }

// Nothing if the event was not decided, nor is on its way with frozen features.
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
    return known->values == call.values ? PushStatus::same : PushStatus::conflict;
  }
  if (queue_.waiting() >= settings_.max_pending) return PushStatus::full;
  queue_.put(draft, call.event, PushedFeatures{now, call.values});
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
  // What is on its way may still ask for its own.
  const std::size_t dropped = running_ ? 0 : queue_.drop_before(draft, oldest);
  book_.forget(draft, rows_, now, settings_.remember, decided_in);
  if (dropped > 0) figures_.change().dropped_features += dropped;
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
