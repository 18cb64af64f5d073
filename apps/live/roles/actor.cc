// The functions of the actor that open and leave epochs.
#include "apps/live/roles/actor.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

constexpr LiveTime least_clock_turn = 1000;  // ms; smaller corrections of clocks are common
constexpr std::uint16_t lost_arm = 0xffff;   // in mode apprentice: the arm of a lost call

[[noreturn]] void refuse_restated(const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::unexpected, "party 0", 0,
                      "the parties restate a number that is not the one of the opening: " + what);
}

}  // namespace

std::vector<std::uint16_t> arms_of_lanes(std::span<const RestateFrame> restated, std::size_t arms) {
  std::vector<std::uint8_t> sum;
  for (const RestateFrame& frame : restated) {
    const std::size_t expected = std::size_t{frame.entry.shape.size} * arms;
    if (frame.lanes.size() != expected) refuse_restated("arm lanes of another length");
    sum.resize(expected);
    for (std::size_t i = 0; i < expected; ++i) {
      sum[i] = static_cast<std::uint8_t>(sum[i] + std::to_integer<std::uint8_t>(frame.lanes[i]));
    }
  }
  std::vector<std::uint16_t> chosen(sum.size() / arms);
  for (std::size_t place = 0; place < chosen.size(); ++place) {
    const std::span<const std::uint8_t> row(sum.data() + place * arms, arms);
    const auto one = std::find(row.begin(), row.end(), std::uint8_t{1});
    if (std::count(row.begin(), row.end(), std::uint8_t{0}) + 1 != std::ssize(row) || one == row.end()) {
      refuse_restated("arm lanes that are of no arm");
    }
    chosen[place] = static_cast<std::uint16_t>(one - row.begin());
  }
  return chosen;
}

std::uint64_t answered_by_lanes(std::span<const RestateFrame> restated) {
  std::uint64_t sum = 0;
  for (const RestateFrame& frame : restated) {
    ByteReader in(frame.lanes);
    sum += in.number<std::uint64_t>();
    if (!in.at_end()) refuse_restated("lanes of another length");
  }
  return sum;
}

LiftWords lift_by_lanes(std::span<const RestateFrame> restated, std::size_t words) {
  LiftWords sums(words, 0);
  for (const RestateFrame& frame : restated) {
    ByteReader in(frame.lanes);
    for (std::uint64_t& sum : sums) sum += in.number<std::uint64_t>();
    if (!in.at_end()) refuse_restated("lanes of another length");
  }
  return sums;
}

LiveActor::LiveActor(LiveRows& rows, const LiveSettings& settings, ActorPeers peers,
                     const RecoveryRequest& recovery_request)
    : rows_(rows),
      settings_(settings),
      peers_(std::move(peers)),
      book_(rows, settings, recovery_request),
      window_(rows),
      figures_(rows),
      planner_(settings.batch_sizes, settings.deal_ahead, peers.has_dealer) {
  if (settings.padding == LivePadding::hidden && !peers_.padding_event) {
    throw std::invalid_argument("hidden padding takes ids");
  }
  std::vector<EventAge> baselines;
  rows_.each(LiveTable::events, [&](const RowKey& key, const LiveRow& bytes) {
    const std::optional<DecisionRow> row = decode_decision_row(bytes);
    if (!row) refuse_damaged("event");
    if (row->number == 0) baselines.push_back(EventAge{key.key, row->at});
    return true;
  });
  baselines_ = EventAges(std::move(baselines));
  load_kept();
}

void LiveActor::take_time(LiveTime now) {
  if (const LiveTime ahead = book_.turn_back(now); ahead >= least_clock_turn) {
    clock_turns_ = {clock_turns_.times + 1, ahead, now};
  }
  waiting_.turn_back(now);
  baselines_.turn_back(now);
  for (LiveTime* const time : {&committed_, &learn_planned_, &learned_, &last_decide_}) *time = std::min(*time, now);
}

bool LiveActor::lacks(const LiveOpening& opening) const {
  return !opening.recovery && opening.number == book_.last().mark.number + 1;
}

ChainRow LiveActor::row_of_restated(const LiveOpening& opening, std::span<const RestateFrame> restated) const {
  if (restated.size() != peers_.parties) refuse_restated("not every party does");
  const RestateFrame& first = restated.front();
  for (const RestateFrame& frame : restated) {
    if (frame.id != opening.id || frame.entry != first.entry || frame.epoch != first.epoch) {
      refuse_restated(fmt::format("another number {}", frame.entry.number));
    }
  }
  if (const std::string fault = book_.fault_of(first.entry, true); !fault.empty()) refuse_restated(fault);
  ChainRow row;
  row.mark = OrderMark{first.entry.number, first.id, first.epoch, digest_of(first.entry)};
  row.entry = first.entry;
  row.restated = true;
  if (first.entry.shape.kind == EntryKind::decide)
    row.tally.padding = first.entry.shape.size - first.entry.events.size();
  return row;
}

void LiveActor::open(const LiveOpening& opening, const net::SessionId& session, std::span<const RestateFrame> restated,
                     LiveTime now) {
  leave_epoch();
  take_time(now);
  const OrderMark& last = book_.last().mark;
  const bool fits = opening.recovery || lacks(opening) || (opening.number == last.number && opening.id == last.id);
  if (opening.epoch <= book_.epoch().epoch || !fits) {
    throw DisagreementError(fmt::format(
        "the roles would open epoch {} after number {}, and the actor has opened epoch {} and done number {}; "
        "nothing was changed",
        opening.epoch, opening.number, book_.epoch().epoch, last.number));
  }
  RowDraft draft(rows_);
  if (opening.recovery) {
    recover(draft, opening);
    window_.begin(draft, book_.last().mark.number + 1);
  }
  if (lacks(opening)) {
    const ChainRow row = row_of_restated(opening, restated);
    Compared compared;
    if (row.entry.shape.secret) compared = compare(draft, row.entry, answered_by_lanes(restated));
    LiftCounted lift;
    if (row.entry.shape.kind == EntryKind::learn) lift.shown = lift_by_lanes(restated, book_.lift_terms().words());
    book_.append(draft, row, compared, std::move(lift));
    put_restated(draft, restated, now);
  }
  EpochRow epoch = book_.epoch();
  epoch.epoch = opening.epoch;
  epoch.session = session;
  book_.write_epoch(draft, epoch);
  figures_.put(draft);
  draft.commit();
  committed_ = now;
  planner_.begin_epoch();
  is_open_ = true;
}

// The window counts padding like other events, because parties cannot recognise padding.
LiveActor::InWindow LiveActor::in_window(const OrderEntry& entry) const {
  InWindow in{std::vector<bool>(entry.events.size(), true), {}};
  const bool begins = book_.opens_agreement();
  std::map<SubjectHash, std::uint64_t> here;
  for (std::size_t place = 0; place < entry.subjects.size(); ++place) {
    if (!names_subject(entry.subjects[place])) continue;
    const SubjectHash subject = hash_of(entry.subjects[place], NamedBy::caller);
    std::uint64_t& rows = here.try_emplace(subject, begins ? 0 : window_.rows_of(subject)).first->second;
    in.counted[place] = rows < book_.window_rows();
    if (!in.counted[place]) continue;
    ++rows;
    in.subjects.push_back(subject);
  }
  return in;
}

// Call before the entry is added to the book.
Compared LiveActor::compare(RowDraft& draft, const OrderEntry& entry, std::uint64_t shown) {
  const auto [counted, subjects] = in_window(entry);
  const bool begins = book_.opens_agreement();
  if (begins || window_.first() == 0) window_.begin(draft, entry.number);
  window_.add(draft, entry.number, subjects);
  Compared compared;
  const auto known = static_cast<std::ptrdiff_t>(running_ ? running_->events.size() : entry.events.size());
  compared.counted = static_cast<std::uint64_t>(std::count(counted.begin(), counted.begin() + known, true));
  if (begins) compared.shown = static_cast<std::int64_t>(shown);
  return compared;
}

void LiveActor::put_restated(RowDraft& draft, std::span<const RestateFrame> restated, LiveTime now) {
  const OrderEntry& entry = restated.front().entry;
  if (entry.shape.kind == EntryKind::learn) (void)book_.settle_last(draft);
  if (entry.shape.kind == EntryKind::snapshot) {
    const ChainRow& last = book_.last();
    book_.put_snapshot(draft, {{entry.number, restated.front().id, last.learned, last.from}, false, {}});
  }
  if (entry.shape.kind != EntryKind::decide) return;
  book_.add_batch(draft, entry, now);
  std::vector<std::uint16_t> arms(entry.events.size(), lost_arm);
  if (!entry.shape.secret) arms = arms_of_lanes(restated, settings_.arms.size());
  std::set<std::uint32_t> refused;
  for (const RestateFrame& frame : restated) refused.insert(frame.refused.begin(), frame.refused.end());
  for (std::uint32_t i = 0; i < entry.events.size(); ++i) {
    const WaitingEvent* event = waiting_.find(entry.events[i]);
    const std::optional<std::uint16_t> own = event == nullptr ? std::nullopt : event->request.own_arm;
    std::optional<std::uint16_t> arm = book_.mode() == LiveMode::apprentice && own ? own : std::optional(arms[i]);
    if (refused.contains(i)) arm.reset();
    put_decision(draft, entry, i, arm, event, now);
  }
  restated_ = entry.events;
}

std::vector<LiveAnswer> LiveActor::all_ready() {
  if (!is_open_) throw std::logic_error("no epoch is open");
  ready_ = true;
  return take_answers(std::exchange(restated_, {}));
}

void LiveActor::leave_epoch() {
  running_.reset();
  concurrent_.reset();
  waiting_.put_back();
  is_open_ = false;
  ready_ = false;
}

std::vector<LiveAnswer> LiveActor::take_answers(const std::vector<EventId>& events) {
  const RowDraft rows(rows_);
  std::vector<LiveAnswer> answers;
  answers.reserve(events.size());
  for (const EventId& event : events) {
    if (waiting_.find(event) == nullptr) continue;
    waiting_.remove(event);
    const std::optional<DecisionRow> row = stored(rows, event);
    if (!row) continue;
    if (row->state == DecisionState::lost) answers.push_back(LiveAnswer{event, row->state, 0, row->number});
    if (const auto answer = answer_of(event, *row)) answers.push_back(*answer);
  }
  return answers;
}

}  // namespace sotto::apps::live
