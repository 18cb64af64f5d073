// What callers ask of the actor.
#include <algorithm>
#include <set>

#include "sotto/apps/bandit/live/roles/actor.h"

namespace sotto::apps {
namespace {

constexpr std::uint16_t no_arm = 0xffff;

bool is_printable(const std::string& text) {
  return text.size() <= longest_subject &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

std::optional<DecisionRow> LiveActor::stored(const RowDraft& draft, const EventId& event) const {
  const auto bytes = draft.get(key_of(LiveTable::events, event));
  if (!bytes) return std::nullopt;
  std::optional<DecisionRow> row = decode_decision_row(*bytes);
  if (!row) refuse_damaged("event");
  return row;
}

// Nothing while it must not be told.
std::optional<LiveAnswer> LiveActor::answer_of(const EventId& event, const DecisionRow& row) const {
  const ChainRow& last = book_.last();
  const bool is_held = last.restated && !ready_ && row.number == last.mark.number;
  if (row.state == DecisionState::padding || row.arm == no_arm) return std::nullopt;
  if (row.state == DecisionState::decided && is_held) return std::nullopt;
  return LiveAnswer{event, row.state, row.arm, row.number};
}

bool LiveActor::is_valid_request(const DecisionRequest& request) const {
  const std::size_t arms = settings_.arms.size();
  const std::set<std::uint16_t> barred(request.barred.begin(), request.barred.end());
  if (barred.size() != request.barred.size() || barred.size() >= arms) return false;
  if (!barred.empty() && *barred.rbegin() >= arms) return false;
  if (request.own_arm && (*request.own_arm >= arms || barred.contains(*request.own_arm))) return false;
  return is_printable(request.subject);
}

// The store knows the event.
AskResult LiveActor::ask_again(const DecisionRequest& request, DecisionRow row) {
  const net::Digest body = request.digest();
  const bool is_lost = row.body == net::Digest{};
  if (row.state == DecisionState::padding || (!is_lost && row.body != body)) return {AskStatus::conflict};
  const bool is_own = row.arm == no_arm && request.own_arm;
  if (is_lost && (row.arm != no_arm || is_own)) {
    // What was in the lost memory: the caller says it again.
    row.body = body;
    if (is_own) row.arm = *request.own_arm;
    const auto batch = book_.open_batches().find(row.number);
    const bool takes = batch != book_.open_batches().end() && batch->second.state == BatchState::pending;
    row.active = row.active || (takes && request.activate);
    RowDraft draft(rows_);
    draft.put(key_of(LiveTable::events, request.event), encode(row));
    draft.commit();
  }
  const auto answer = answer_of(request.event, row);
  if (!answer) return {AskStatus::pending};
  return {AskStatus::answered, answer};
}

AskResult LiveActor::ask(const DecisionRequest& request, LiveTime now) {
  if (!is_valid_request(request)) return {AskStatus::invalid};
  if (const auto row = stored(RowDraft(rows_), request.event)) return ask_again(request, *row);
  const net::Digest body = request.digest();
  if (const WaitingEvent* known = waiting_.find(request.event)) {
    return {known->body == body ? AskStatus::pending : AskStatus::conflict};
  }
  if (draining_) return {AskStatus::draining};
  if (book_.mode() == LiveMode::apprentice && !request.own_arm) return {AskStatus::lacks_own_arm};
  if (waiting_.size() >= settings_.max_queue) return {AskStatus::queue_full};
  WaitingEvent event{request, body, now, now + settings_.decision_deadline};
  if (request.deadline > 0) event.deadline = now + std::min(request.deadline, settings_.decision_deadline);
  waiting_.add(std::move(event));
  return {AskStatus::pending};
}

std::optional<AskResult> LiveActor::find(const EventId& event) const {
  if (const auto row = stored(RowDraft(rows_), event)) {
    if (row->state == DecisionState::padding) return std::nullopt;
    const auto answer = answer_of(event, *row);
    return AskResult{answer ? AskStatus::answered : AskStatus::pending, answer};
  }
  if (waiting_.find(event) == nullptr) return std::nullopt;
  return AskResult{AskStatus::pending};
}

PassedDeadlines LiveActor::pass_deadlines(LiveTime now) {
  PassedDeadlines passed;
  RowDraft draft(rows_);
  for (const WaitingEvent& event : waiting_.overdue(now)) {
    const EventId& id = event.request.event;
    // Decided, and held back until all roles are ready: it will be told that.
    if (stored(draft, id)) continue;
    const bool is_own = book_.mode() == LiveMode::apprentice && event.request.own_arm;
    const std::optional<std::uint16_t> arm = is_own ? event.request.own_arm : settings_.baseline_arm;
    if (!arm) {
      passed.unanswered.push_back(id);
      continue;
    }
    const DecisionRow row{DecisionState::baseline, *arm, 0, now, false, event.body};
    draft.put(key_of(LiveTable::events, id), encode(row));
    passed.baselines.push_back(LiveAnswer{id, row.state, row.arm, 0});
  }
  draft.commit();
  for (const LiveAnswer& answer : passed.baselines) waiting_.remove(answer.event);
  for (const EventId& event : passed.unanswered) waiting_.remove(event);
  return passed;
}

std::vector<ActivateStatus> LiveActor::activate(std::span<const EventId> events) {
  RowDraft draft(rows_);
  std::vector<ActivateStatus> results;
  results.reserve(events.size());
  for (const EventId& event : events) {
    std::optional<DecisionRow> row = stored(draft, event);
    if (!row || row->state == DecisionState::padding) {
      results.push_back(waiting_.find(event) == nullptr ? ActivateStatus::unknown : ActivateStatus::not_decided);
      continue;
    }
    if (!row->active && row->state == DecisionState::decided) {
      const auto batch = book_.open_batches().find(row->number);
      if (batch == book_.open_batches().end() || batch->second.state != BatchState::pending) {
        results.push_back(ActivateStatus::late);
        continue;
      }
      row->active = true;
      draft.put(key_of(LiveTable::events, event), encode(*row));
    }
    results.push_back(ActivateStatus::active);
  }
  draft.commit();
  return results;
}

void LiveActor::forget(LiveTime now) {
  RowDraft draft(rows_);
  (void)book_.forget(draft, rows_, now, settings_.remember);
  std::size_t seen = 0;
  // Baselines that are in no batch.
  rows_.each(LiveTable::events, [&](const RowKey& key, const LiveRow& bytes) {
    const std::optional<DecisionRow> row = decode_decision_row(bytes);
    if (!row) refuse_damaged("event");
    if (row->number == 0 && row->at + settings_.remember <= now) {
      draft.erase(key);
      ++seen;
    }
    return seen < 1024;
  });
  draft.commit();
}

}  // namespace sotto::apps
