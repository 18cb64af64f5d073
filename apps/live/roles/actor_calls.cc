// The functions of the actor that process calls.
#include <algorithm>
#include <set>

#include "apps/live/roles/actor.h"

namespace sotto::apps::live {
namespace {

constexpr std::uint16_t no_arm = 0xffff;
constexpr std::size_t most_forgotten = 1024;

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

std::optional<LiveAnswer> LiveActor::answer_of(const EventId& event, const DecisionRow& row) const {
  const ChainRow& last = book_.last();
  const auto recovered = book_.recovered();
  const bool is_held = last.restated && !ready_ && row.number == (recovered ? recovered->kept : last.mark.number);
  if (row.state == DecisionState::padding || row.state == DecisionState::lost || row.arm == no_arm) return std::nullopt;
  if (row.state == DecisionState::decided && is_held) return std::nullopt;
  // A row of an old version does not say whether the arm was the caller's own. If the service has never been in mode
  // apprentice, the arm was chosen by the service.
  const bool is_model = row.own == OwnArm::unknown && last.agreement == Agreement{};
  return LiveAnswer{event, row.state, row.arm, row.number, is_model ? OwnArm::none : row.own};
}

bool LiveActor::is_valid_request(const DecisionRequest& request) const {
  const std::size_t arms = settings_.arms.size();
  const std::set<std::uint16_t> barred(request.barred.begin(), request.barred.end());
  if (barred.size() != request.barred.size() || barred.size() >= arms) return false;
  if (!barred.empty() && *barred.rbegin() >= arms) return false;
  if (request.own_arm && (*request.own_arm >= arms || barred.contains(*request.own_arm))) return false;
  return request.subject.empty() || is_subject(request.subject);
}

OwnArm LiveActor::own_of(const DecisionRequest& request) const {
  if (!request.own_arm) return OwnArm::none;
  return book_.mode() == LiveMode::apprentice ? OwnArm::played : OwnArm::ignored;
}

void LiveActor::count_answered(std::uint16_t arm, bool is_baseline) {
  CallFigures& figures = figures_.change();
  ++(is_baseline ? figures.baselines : figures.decided);
  figures.arms.resize(settings_.arms.size());
  ++figures.arms.at(arm);
}

AskResult LiveActor::ask_again(RowDraft& draft, const DecisionRequest& request, DecisionRow row) {
  if (row.state == DecisionState::lost) return {AskStatus::already_decided};
  const bool is_lost = row.body == net::Digest{};
  if (row.state == DecisionState::padding || (!is_lost && !request.has_body(row.body))) return {AskStatus::conflict};
  const bool is_own = row.arm == no_arm && request.own_arm;
  if (is_lost && (row.arm != no_arm || is_own)) {
    // The fields of the first request were lost with the memory of the process, so this call's fields replace them.
    row.body = request.digest();
    row.own = is_own ? OwnArm::played : request.own_arm ? OwnArm::ignored : OwnArm::none;
    if (is_own) row.arm = *request.own_arm;
    row.active = row.active || (book_.takes_input(row.number) && request.activate);
    draft.put(key_of(LiveTable::events, request.event), encode(row));
    count_answered(row.arm, false);
  }
  const auto answer = answer_of(request.event, row);
  if (!answer) return {AskStatus::pending};
  return {AskStatus::answered, answer};
}

AskResult LiveActor::ask_in(RowDraft& draft, const DecisionRequest& request, LiveTime now, bool keep) {
  if (!is_valid_request(request)) return {AskStatus::invalid};
  if (const auto row = stored(draft, request.event)) return ask_again(draft, request, *row);
  const net::Digest body = request.digest();
  const LiveTime deadline = now + deadline_of(request, settings_);
  if (const WaitingEvent* known = waiting_.find(request.event)) {
    if (known->body != body) return {AskStatus::conflict};
    const bool is_earlier = waiting_.shorten_deadline(request.event, deadline);
    const bool is_new = keep && waiting_.keep(request.event);
    if (is_new || (keep && is_earlier)) put_kept(draft, request.event);
    return {AskStatus::pending};
  }
  if (draining_) return {AskStatus::draining};
  if (book_.mode() == LiveMode::apprentice && !request.own_arm) return {AskStatus::lacks_own_arm};
  if (names_subject(request.subject) && waiting_.has_subject(request.subject)) return {AskStatus::subject_waits};
  if (waiting_.size() >= settings_.max_queue) return {AskStatus::queue_full};
  waiting_.add(WaitingEvent{request, body, now, deadline, keep});
  if (keep) put_kept(draft, request.event);
  return {AskStatus::pending};
}

std::vector<AskResult> LiveActor::ask(std::span<const DecisionRequest> requests, LiveTime now, bool keep) {
  RowDraft draft(rows_);
  std::vector<AskResult> results;
  results.reserve(requests.size());
  for (const DecisionRequest& request : requests) {
    results.push_back(ask_in(draft, request, now, keep));
    const AskStatus status = results.back().status;
    if (status != AskStatus::answered && status != AskStatus::pending) ++figures_.change().rejected;
  }
  figures_.put(draft);
  draft.commit();
  return results;
}

void LiveActor::put_kept(RowDraft& draft, const EventId& event) const {
  const WaitingEvent& waits = *waiting_.find(event);
  draft.put(key_of(LiveTable::asked, event), encode(AskedRow{waits.request, waits.asked, waits.deadline}));
}

void LiveActor::erase_kept(RowDraft& draft, const EventId& event) const {
  const WaitingEvent* const waits = waiting_.find(event);
  if (waits != nullptr && waits->is_kept) draft.erase(key_of(LiveTable::asked, event));
}

void LiveActor::load_kept() {
  std::vector<AskedRow> kept;
  rows_.each(LiveTable::asked, [&](const RowKey& key, const LiveRow& bytes) {
    std::optional<AskedRow> row = decode_asked_row(bytes, key.key);
    if (!row || !is_valid_request(row->request)) refuse_damaged("call");
    kept.push_back(std::move(*row));
    return true;
  });
  std::stable_sort(kept.begin(), kept.end(), [](const AskedRow& a, const AskedRow& b) { return a.asked < b.asked; });
  for (AskedRow& row : kept) {
    const net::Digest body = row.request.digest();
    waiting_.add(WaitingEvent{std::move(row.request), body, row.asked, row.deadline, true});
  }
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

std::optional<std::uint16_t> LiveActor::baseline_of(const DecisionRequest& request) const {
  if (book_.mode() == LiveMode::apprentice && request.own_arm) return request.own_arm;
  const auto is_barred = [&](std::uint16_t arm) {
    return std::find(request.barred.begin(), request.barred.end(), arm) != request.barred.end();
  };
  if (!settings_.baseline_arm || !is_barred(*settings_.baseline_arm)) return settings_.baseline_arm;
  std::uint16_t first = 0;
  while (is_barred(first)) ++first;
  return first;
}

PassedDeadlines LiveActor::pass_deadlines(LiveTime now) {
  take_time(now);
  PassedDeadlines passed;
  RowDraft draft(rows_);
  for (const WaitingEvent& event : waiting_.overdue(now)) {
    const EventId& id = event.request.event;
    // The event is decided, but the answer waits until all roles have opened the epoch.
    if (stored(draft, id)) continue;
    erase_kept(draft, id);
    const std::optional<std::uint16_t> arm = baseline_of(event.request);
    if (!arm) {
      passed.unanswered.push_back(id);
      continue;
    }
    const DecisionRow row{DecisionState::baseline, *arm, 0, now, false, event.body, own_of(event.request)};
    draft.put(key_of(LiveTable::events, id), encode(row));
    count_answered(row.arm, true);
    passed.baselines.push_back(LiveAnswer{id, row.state, row.arm, 0, row.own});
  }
  figures_.put(draft);
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
  figures_.put(draft);
  draft.commit();
  return results;
}

void LiveActor::forget(LiveTime now) {
  take_time(now);
  RowDraft draft(rows_);
  const LiveTime remember = settings_.remember + actor_remembers_longer;
  book_.forget(draft, rows_, now, remember, number_in);
  window_.forget(draft, rows_);
  for (std::size_t seen = 0; seen < most_forgotten && now >= remember; ++seen) {
    const auto first = baselines_.take_before(now - remember + 1);
    if (!first) break;
    const std::optional<DecisionRow> row = stored(draft, first->event);
    if (row && row->number == 0 && row->at == first->at) draft.erase(key_of(LiveTable::events, first->event));
  }
  if (is_open_) {
    figures_.note(now,
                  {static_cast<double>(figures_.figures().decided), static_cast<double>(figures_.figures().baselines)});
  }
  figures_.put(draft, true);
  draft.commit();
}

void LiveActor::write_figures() {
  RowDraft draft(rows_);
  figures_.put(draft, true);
  draft.commit();
}

}  // namespace sotto::apps::live
