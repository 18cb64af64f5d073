// The functions of the actor that make the order.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "apps/live/roles/actor.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

std::size_t LiveActor::batch_limit_now() const {
  return batch_limit(settings_.largest_batch(), settings_.arms.size(), book_.last().decided);
}

LiveActor::Due LiveActor::due(LiveTime now, std::size_t most) const {
  Due due;
  if (book_.mode() == LiveMode::frozen) return due;
  const std::size_t before = concurrent_ ? concurrent_->events : 0;
  for (const auto& [number, batch] : book_.open_batches()) {
    if (concurrent_ && number <= concurrent_->learn.batches.back()) continue;
    if (batch.at + settings_.reward_wait > now || !book_.has_room_for(before + due.events + batch.events)) break;
    if (due.batches.empty()) due.first = batch.events;
    if (due.events + batch.events > most || due.batches.size() >= most) break;
    due.batches.push_back(number);
    due.events += batch.events;
  }
  return due;
}

PlannerNeeds LiveActor::needs(LiveTime now) const {
  const std::size_t limit = batch_limit_now();
  const bool own = book_.mode() == LiveMode::apprentice;
  const std::size_t queued = own ? waiting_.with_own_arm() : waiting_.size();
  PlannerNeeds needs;
  needs.secret = own;
  needs.waiting = std::min(queued, limit);
  if (settings_.cadence) {
    needs.decide = now >= last_decide_ + *settings_.cadence;
    needs.waiting = settings_.largest_batch();
  } else if (needs.waiting > 0) {
    const bool waited = settings_.batch_wait == 0 || now >= waiting_.first_asked() + settings_.batch_wait;
    needs.decide = waited || queued >= limit;
  }
  if (book_.pending() + std::max<std::size_t>(needs.waiting, 1) > settings_.max_pending) needs.decide = false;
  const std::size_t largest = settings_.largest_batch();
  const Due batches = due(now, settings_.deal_ahead * largest);
  needs.due = batches.events;
  needs.first_due = batches.first;
  needs.hold_learns = holds_learns(batches, needs.decide, now);
  needs.deals_learn = now < learn_planned_ + peers_.learn_head_start && batches.events < largest;
  needs.concurrent = concurrent_.has_value();
  needs.from = book_.last().from;
  return needs;
}

// A learn uses processors and links that decides need. So waiting events come first, until a learn is full or has
// waited for a long time.
bool LiveActor::holds_learns(const Due& batches, bool decides, LiveTime now) const {
  if (batches.batches.empty() || batches.events >= settings_.largest_batch()) return false;
  const LiveTime first = book_.open_batches().at(batches.batches.front()).at + settings_.reward_wait;
  if (now >= first + learn_patience) return false;
  return decides || running_ || concurrent_ || now < learned_ + learn_pause;
}

std::optional<PlanFrame> LiveActor::plan(LiveTime now) {
  take_time(now);
  if (!ready_) return std::nullopt;
  std::optional<PlanFrame> plan = planner_.extend(needs(now), book_.last().mark.number);
  if (!plan) return std::nullopt;
  told_settled_ = std::max(told_settled_, plan->settled);
  const auto learns = [](const ProgramShape& shape) { return shape.kind == EntryKind::learn; };
  if (std::any_of(plan->shapes.begin(), plan->shapes.end(), learns)) learn_planned_ = now;
  return plan;
}

OrderEntry LiveActor::next_entry() const {
  OrderEntry entry;
  entry.number = book_.last().mark.number + 1;
  entry.before = book_.last().mark.id;
  return entry;
}

void LiveActor::pad(OrderEntry& entry) const {
  if (settings_.padding != LivePadding::hidden) return;
  while (entry.events.size() < entry.shape.size) {
    entry.events.push_back(peers_.padding_event());
    if (peers_.padding_subject) {
      entry.subjects.push_back(peers_.padding_subject());
    } else if (!entry.subjects.empty()) {
      entry.subjects.emplace_back("-");
    }
  }
}

OrderEntry LiveActor::make_decide(const TakenProgram& program) {
  OrderEntry entry = next_entry();
  entry.program = program.program;
  entry.shape = program.shape;
  entry.cut_off = settings_.cut_off;
  const std::size_t most = std::min<std::size_t>(program.shape.size, batch_limit_now());
  running_->events = waiting_.take(most, book_.mode() == LiveMode::apprentice);
  const auto has_subject = [](const WaitingEvent& event) { return !event.request.subject.empty(); };
  const bool subjects =
      peers_.padding_subject || std::any_of(running_->events.begin(), running_->events.end(), has_subject);
  for (const WaitingEvent& event : running_->events) {
    const auto place = static_cast<std::uint32_t>(entry.events.size());
    entry.events.push_back(event.request.event);
    if (subjects) entry.subjects.push_back(has_subject(event) ? event.request.subject : "-");
    for (const std::uint16_t arm : event.request.barred) entry.barred.push_back({place, arm});
  }
  std::sort(entry.barred.begin(), entry.barred.end());
  pad(entry);
  return entry;
}

void LiveActor::start(Proposal& proposal, OrderEntry entry) {
  if (!running_) running_.emplace(Running{});
  running_->digest = digest_of(entry);
  running_->entry = proposal.propose.entry = std::move(entry);
}

void LiveActor::propose_change(Proposal& proposal) {
  OrderEntry entry = next_entry();
  entry.shape = ProgramShape{EntryKind::mode, 0};
  entry.mode = *wanted_mode_;
  start(proposal, std::move(entry));
}

void LiveActor::propose_snapshot(Proposal& proposal) {
  OrderEntry entry = next_entry();
  entry.shape = ProgramShape{EntryKind::snapshot, 0};
  start(proposal, std::move(entry));
}

void LiveActor::propose_learn(Proposal& proposal) {
  OrderEntry entry = next_entry();
  entry.program = concurrent_->learn.program;
  entry.shape = concurrent_->learn.shape;
  entry.batches = concurrent_->learn.batches;
  start(proposal, std::move(entry));
}

void LiveActor::begin_learn(const TakenProgram& program, Proposal& proposal, LiveTime now) {
  const Due batches = due(now, program.shape.size);
  RowDraft draft(rows_);
  book_.close(draft, batches.batches);
  figures_.put(draft);
  draft.commit();
  concurrent_ = Concurrent{BeginFrame{program.program, program.shape, batches.batches}, batches.events, {}, {}, false};
  proposal.begin = concurrent_->learn;
}

void LiveActor::ran(NodeId from, const RanFrame& frame) {
  const auto refuse = [&](const char* what) {
    const std::string name = fmt::format("party {}", from);
    throw ProtocolError(ProtocolError::Kind::unexpected, name, 0, fmt::format("{} {}", name, what));
  };
  if (from > peers_.parties) throw std::invalid_argument("no role that says it");
  if (!concurrent_ || frame.program != concurrent_->learn.program)
    refuse("says that a learn has ended which has not begun");
  if (!concurrent_->ran.insert(from).second) refuse("says twice that a learn has ended");
}

bool LiveActor::can_plan_later() const {
  const std::size_t planned = planner_.decides(book_.mode() == LiveMode::apprentice);
  return !settings_.cadence && waiting_.empty() && 2 * planned >= settings_.deal_ahead && planned > 0;
}

bool LiveActor::model_is_full(LiveTime now) const {
  const auto& batches = book_.open_batches();
  const auto first = concurrent_ ? batches.upper_bound(concurrent_->learn.batches.back()) : batches.begin();
  if (book_.mode() == LiveMode::frozen || first == batches.end()) return false;
  const std::size_t events = first->second.events + (concurrent_ ? concurrent_->events : 0);
  return first->second.at + settings_.reward_wait <= now && !book_.has_room_for(events);
}

std::optional<Proposal> LiveActor::propose(LiveTime now) {
  take_time(now);
  if (!ready_ || running_) return std::nullopt;
  Proposal proposal;
  if (model_is_full(now)) wanted_mode_ = LiveMode::frozen;
  if (wanted_mode_ == book_.mode()) wanted_mode_.reset();
  // A change of mode and a snapshot wait for a learn that has begun, so that both apply to the model after the learn.
  if (wanted_mode_ && !concurrent_) {
    propose_change(proposal);
    return proposal;
  }
  if (wants_snapshot_ && !concurrent_) {
    propose_snapshot(proposal);
    return proposal;
  }
  const PlannerNeeds needs = this->needs(now);
  const bool has_learned = concurrent_ && concurrent_->ran.size() == peers_.parties + 1;
  // After the rounds of a learn, at most one decide comes before the entry of the learn.
  std::optional<TakenProgram> program;
  if (!has_learned || (needs.decide && !concurrent_->gave_way)) program = planner_.take(needs);
  if (!program && !has_learned) return std::nullopt;
  if (!program) {
    propose_learn(proposal);
    return proposal;
  }
  if (has_learned) concurrent_->gave_way = true;
  for (const std::uint64_t skipped : program->skipped) proposal.skips.push_back(SkipFrame{skipped});
  if (program->shape.kind == EntryKind::decide) {
    running_.emplace(Running{});
    last_decide_ = now;
    start(proposal, make_decide(*program));
  } else {
    begin_learn(*program, proposal, now);
  }
  return proposal;
}

std::vector<std::optional<std::uint16_t>> LiveActor::played_arms() const {
  if (!concurrent_) throw std::logic_error("no learn has begun");
  const RowDraft rows(rows_);
  std::vector<std::optional<std::uint16_t>> arms;
  for (const EventId& event : book_.events_of(rows, concurrent_->learn.batches)) {
    const std::optional<DecisionRow> row = stored(rows, event);
    const bool learns = row && row->state == DecisionState::decided && row->active && row->arm < settings_.arms.size();
    arms.push_back(learns ? std::optional(row->arm) : std::nullopt);
  }
  return arms;
}

LiveActor::LiftPlayed LiveActor::lift_played() const {
  if (!concurrent_) throw std::logic_error("no learn has begun");
  LiftPlayed played;
  if (settings_.lift_levels.empty()) return played;
  const RowDraft rows(rows_);
  for (const OrderNumber number : concurrent_->learn.batches) {
    for (const EventId& event : book_.batch(rows, number).events) {
      const std::optional<DecisionRow> row = stored(rows, event);
      const bool is_chosen = row && (row->own == OwnArm::none || row->own == OwnArm::ignored) && row->number == number;
      const bool is_told = is_chosen && row->state == DecisionState::decided && row->active &&
                           row->offered == settings_.arms.size() && row->arm < settings_.arms.size();
      played.told.push_back(is_told ? 1 : 0);
      played.base.push_back(is_told && row->arm == settings_.baseline_arm ? 1 : 0);
    }
  }
  return played;
}

void LiveActor::set_lift(LiftWords shown) {
  if (!concurrent_) throw std::logic_error("no learn has begun");
  concurrent_->lift = std::move(shown);
}

std::vector<std::optional<std::uint16_t>> LiveActor::own_arms() const {
  if (!running_ || !running_->entry.shape.secret) throw std::logic_error("no secret decide is on its way");
  const std::vector<bool> counted = in_window(running_->entry).counted;
  std::vector<std::optional<std::uint16_t>> arms(running_->events.size());
  for (std::size_t place = 0; place < arms.size(); ++place) {
    if (counted[place]) arms[place] = running_->events[place].request.own_arm;
  }
  return arms;
}

void LiveActor::set_answered(std::uint64_t shown) {
  if (!running_ || !running_->entry.shape.secret) throw std::logic_error("nothing is to be shown");
  running_->shown = shown;
}

void LiveActor::set_arms(std::vector<std::uint16_t> arms) {
  if (!running_ || running_->entry.shape.kind != EntryKind::decide || running_->entry.shape.secret) {
    throw std::logic_error("no arms are to come");
  }
  const auto is_arm = [&](std::uint16_t arm) { return arm < settings_.arms.size(); };
  if (arms.size() < running_->entry.events.size() || !std::all_of(arms.begin(), arms.end(), is_arm)) {
    throw std::invalid_argument("an arm for each event");
  }
  running_->arms = std::move(arms);
}

bool LiveActor::done(NodeId from, const DoneFrame& frame) {
  const bool is_rewarder = from == peers_.rewarder();
  const std::string name = is_rewarder ? "the rewarder" : fmt::format("party {}", from);
  const auto refuse = [&](const char* what) {
    throw ProtocolError(ProtocolError::Kind::unexpected, name, 0, fmt::format("{} {}", name, what));
  };
  if (from >= peers_.parties && !is_rewarder) throw std::invalid_argument("no role that says done");
  if (!running_ || frame.number != running_->entry.number)
    refuse("says that it has done a number that is not on its way");
  if (!running_->done.emplace(from, frame.digest).second) refuse("says twice that it has done a number");
  if (is_rewarder && frame.digest != running_->digest) refuse("has done another entry than was proposed");
  const bool has_places = frame.refused.empty() || frame.refused.back() < running_->entry.events.size();
  if (!has_places || (is_rewarder && !frame.refused.empty())) refuse("refuses events that are not in the number");
  running_->refused.insert(frame.refused.begin(), frame.refused.end());
  for (const auto& [node, digest] : running_->done) {
    if (!is_rewarder && node != peers_.rewarder() && digest != frame.digest)
      refuse("says other words of the number than a party before it: a party was sent other words, or is out of step");
  }
  return running_->done.size() == peers_.parties + 1;
}

std::uint16_t LiveActor::arm_at(std::size_t place) const {
  if (book_.mode() == LiveMode::apprentice) return *running_->events[place].request.own_arm;
  return (*running_->arms)[place];
}

// Recorded only for a decide whose bits the parties keep.
std::uint16_t LiveActor::offered(const OrderEntry& entry, std::uint32_t place) const {
  if (!settings_.keeps_best() || entry.shape.secret) return 0;
  const auto barred =
      std::count_if(entry.barred.begin(), entry.barred.end(), [&](const BarredArm& one) { return one.place == place; });
  return static_cast<std::uint16_t>(settings_.arms.size() - static_cast<std::size_t>(barred));
}

void LiveActor::put_decision(RowDraft& draft, const OrderEntry& entry, std::uint32_t place,
                             std::optional<std::uint16_t> arm, const WaitingEvent* event, LiveTime now) {
  const EventId& id = entry.events[place];
  const OrderNumber number = entry.number;
  DecisionRow row{arm ? DecisionState::decided : DecisionState::lost, arm.value_or(0), number, now, false, {}};
  if (arm) row.offered = offered(entry, place);
  if (arm && event != nullptr) {
    row.active = event->request.activate;
    row.body = event->body;
    row.own = own_of(event->request);
  }
  if (const auto baseline = stored(draft, id)) {
    row = *baseline;
    row.number = number;
  } else if (!arm) {
    ++figures_.change().rejected;
  } else if (event != nullptr && *arm < settings_.arms.size()) {
    count_answered(*arm, false);  // otherwise the arm is counted when its caller calls again
  }
  erase_kept(draft, id);
  draft.put(key_of(LiveTable::events, id), encode(row));
}

std::vector<LiveAnswer> LiveActor::commit(LiveTime now) {
  take_time(now);
  if (!running_ || running_->done.size() != peers_.parties + 1) throw std::logic_error("not all have done the number");
  const OrderEntry& entry = running_->entry;
  const bool decides = entry.shape.kind == EntryKind::decide;
  if (decides && !(entry.shape.secret ? running_->shown.has_value() : running_->arms.has_value())) {
    throw std::logic_error("what the rounds showed is missing");
  }
  RowDraft draft(rows_);
  ChainRow row;
  row.mark = OrderMark{entry.number, running_->done.at(0), book_.epoch().epoch, running_->digest};
  row.entry = entry;
  if (decides) row.tally.padding = entry.shape.size - running_->events.size();
  Compared compared;
  if (entry.shape.secret) compared = compare(draft, entry, *running_->shown);
  LiftCounted lift;
  if (entry.shape.kind == EntryKind::learn && concurrent_) lift.shown = concurrent_->lift;
  book_.append(draft, std::move(row), compared, std::move(lift));
  (void)book_.settle_last(draft);
  if (entry.shape.kind == EntryKind::snapshot) {
    const ChainRow& last = book_.last();
    book_.put_snapshot(draft, {{entry.number, running_->done.at(0), last.learned, last.from}, false, {}});
    wants_snapshot_ = false;
  }
  if (decides) {
    book_.add_batch(draft, entry, now);
    for (std::uint32_t i = 0; i < running_->events.size(); ++i) {
      const bool is_refused = running_->refused.contains(i);
      const std::optional<std::uint16_t> arm = is_refused ? std::nullopt : std::optional(arm_at(i));
      put_decision(draft, entry, i, arm, &running_->events[i], now);
    }
    const DecisionRow padding{DecisionState::padding, 0, entry.number, now, false, {}};
    for (std::size_t i = running_->events.size(); i < entry.events.size(); ++i) {
      draft.put(key_of(LiveTable::events, entry.events[i]), encode(padding));
    }
  }
  figures_.put(draft);
  draft.commit();
  committed_ = now;
  if (entry.shape.kind == EntryKind::learn) {
    learned_ = now;
    concurrent_.reset();
  }
  const std::vector<EventId> events = std::move(running_->entry.events);
  running_.reset();
  waiting_.batch_done();
  return take_answers(events);
}

std::optional<LiveTime> LiveActor::next_turn() const {
  std::optional<LiveTime> next;
  const auto at = [&](LiveTime time) { next = std::min(next.value_or(time), time); };
  if (!ready_ || running_) return next;
  if (book_.last().mark.number > told_settled_) at(committed_ + settle_wait);
  if (settings_.cadence) at(last_decide_ + *settings_.cadence);
  if (!settings_.cadence && !waiting_.empty()) at(waiting_.first_asked() + settings_.batch_wait);
  const auto& batches = book_.open_batches();
  if (!concurrent_ && book_.mode() != LiveMode::frozen && !batches.empty()) {
    const LiveTime due = batches.begin()->second.at + settings_.reward_wait;
    at(std::max({due, learned_ + learn_pause, learn_planned_ + peers_.learn_head_start}));
  }
  return next;
}

std::optional<SettledFrame> LiveActor::settle(LiveTime now) {
  take_time(now);
  const OrderMark& last = book_.last().mark;
  if (!ready_ || running_ || last.number <= told_settled_ || now < committed_ + settle_wait) return std::nullopt;
  told_settled_ = last.number;
  return SettledFrame{last.number, last.id};
}

}  // namespace sotto::apps::live
