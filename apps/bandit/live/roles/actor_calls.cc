// What callers ask of the actor.
#include <algorithm>
#include <set>

#include "sotto/apps/bandit/live/roles/actor.h"

namespace sotto::apps {
namespace {

constexpr std::uint16_t no_arm = 0xffff;
constexpr std::size_t most_forgotten = 1024;  // at once

}  // namespace

std::uint64_t deadline_of(const DecisionRequest& request, const LiveSettings& settings) {
  return request.deadline > 0 ? std::min(request.deadline, settings.decision_deadline) : settings.decision_deadline;
}

OrderNumber LiveActor::number_in(const LiveRow& event) {
  const std::optional<DecisionRow> row = decode_decision_row(event);
  if (!row) refuse_damaged("event");
  return row->number;
}

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
  const auto recovered = book_.recovered();
  const bool is_held = last.restated && !ready_ && row.number == (recovered ? recovered->told : last.mark.number);
  if (row.state == DecisionState::padding || row.state == DecisionState::lost || row.arm == no_arm) return std::nullopt;
  if (row.state == DecisionState::decided && is_held) return std::nullopt;
  return LiveAnswer{event, row.state, row.arm, row.number};
}

bool LiveActor::is_valid_request(const DecisionRequest& request) const {
  const std::size_t arms = settings_.arms.size();
  const std::set<std::uint16_t> barred(request.barred.begin(), request.barred.end());
  if (barred.size() != request.barred.size() || barred.size() >= arms) return false;
  if (!barred.empty() && *barred.rbegin() >= arms) return false;
  if (request.own_arm && (*request.own_arm >= arms || barred.contains(*request.own_arm))) return false;
  return request.subject.empty() || is_subject(request.subject);
}

// The store knows the event.
AskResult LiveActor::ask_again(const DecisionRequest& request, DecisionRow row) {
  if (row.state == DecisionState::lost) return {AskStatus::already_decided};
  const net::Digest body = request.digest();
  const bool is_lost = row.body == net::Digest{};
  if (row.state == DecisionState::padding || (!is_lost && row.body != body)) return {AskStatus::conflict};
  const bool is_own = row.arm == no_arm && request.own_arm;
  if (is_lost && (row.arm != no_arm || is_own)) {
    // What was in the lost memory: the caller says it again.
    row.body = body;
    if (is_own) row.arm = *request.own_arm;
    row.active = row.active || (book_.takes_input(row.number) && request.activate);
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
  waiting_.add(WaitingEvent{request, body, now, now + deadline_of(request, settings_)});
  return {AskStatus::pending};
}

std::optional<AskResult> LiveActor::find(const EventId& event) const {
  if (const auto row = stored(RowDraft(rows_), event)) {
    if (row->state == DecisionState::padding) return std::nullopt;
    if (row->state == DecisionState::lost) return AskResult{AskStatus::already_decided};
    const auto answer = answer_of(event, *row);
    return AskResult{answer ? AskStatus::answered : AskStatus::pending, answer};
  }
  if (waiting_.find(event) == nullptr) return std::nullopt;
  return AskResult{AskStatus::pending};
}

std::optional<EventView> LiveActor::view(const EventId& event) const {
  EventView view;
  const RowDraft rows(rows_);
  if (const auto row = stored(rows, event)) {
    if (row->state == DecisionState::padding) return std::nullopt;
    const auto answer = answer_of(event, *row);
    const bool is_told = answer.has_value() || row->state == DecisionState::baseline;
    view.state = row->state == DecisionState::baseline ? "baseline" : is_told ? "decided" : "running";
    view.at = row->at;
    view.number = row->number;
    view.learned = book_.is_learned(rows, row->number);
    view.active = row->active;
    if (row->state == DecisionState::lost) view.state = "lost";
    if (answer) view.arm = answer->arm;
    return view;
  }
  const WaitingEvent* const waits = waiting_.find(event);
  if (waits == nullptr) return std::nullopt;
  view.state = waits->on_its_way ? "running" : "queued";
  return view;
}

PassedDeadlines LiveActor::pass_deadlines(LiveTime now) {
  take_time(now);
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
  for (const LiveAnswer& answer : passed.baselines) {
    baselines_.put(answer.event, now);
    waiting_.remove(answer.event);
  }
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
    if (!row->active && row->state != DecisionState::baseline) {
      if (!book_.takes_input(row->number)) {
        const bool never = book_.is_never_learned(draft, row->number);
        results.push_back(never ? ActivateStatus::not_learned : ActivateStatus::late);
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
  take_time(now);
  RowDraft draft(rows_);
  const LiveTime remember = settings_.remember + actor_remembers_longer;
  book_.forget(draft, rows_, now, remember, number_in);
  // Baselines that are in no batch.
  for (std::size_t seen = 0; seen < most_forgotten && now >= remember; ++seen) {
    const auto first = baselines_.take_before(now - remember + 1);
    if (!first) break;
    const std::optional<DecisionRow> row = stored(draft, first->event);
    if (row && row->number == 0 && row->at == first->at) draft.erase(key_of(LiveTable::events, first->event));
  }
  draft.commit();
}

}  // namespace sotto::apps
