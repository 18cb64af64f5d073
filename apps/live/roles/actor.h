// The actor of the decision service receives the calls for decisions, makes the one order of all roles, and answers
// with the arms. The actor is a state machine without clock, thread or link: its functions receive calls and frames,
// and return frames and answers to send. `now` is the time of the actor's clock. A jump of the clock changes when the
// actor acts, but never the order of its actions. If the clock goes back, all stored times after the new time are
// treated as the new time. So a clock that was ahead delays nothing.
//
// The life of an event:
// - ask(): the event waits in memory. With `keep` the event is also on the disk, for a caller that disconnects.
// - propose(): the event becomes part of the running decide.
// - commit(): when every party and the rewarder have the number on their disks, the actor writes arm and number, and
//   then returns the answer.
// - pass_deadlines(): if the deadline passes before the commit, the actor writes the baseline arm and then returns it.
//   If both an arm and the baseline arm exist, the one that was written first is the answer.
// - propose(), `reward_wait` after the commit: the batch accepts no more activations, and the learn of the batch begins
//   with the one-hots of played_arms(). An event that received the baseline arm, or is not active, has an all-zero
//   one-hot. The rounds of a learn run concurrently with decides, one learn at a time. When the rounds have ended at
//   all parties, propose() gives the learn its number.
//
// Exactly once. The stored row of an event answers every later call with the event's id. Parties write a decide to
// their disks before they send its arms to the actor, so no arm that the actor has seen is ever drawn again. If the
// parties have done a number and the actor has not, the parties send the number again when the epoch opens (restate),
// with the same arm lanes. The actor answers callers with these arms only after all roles have opened the epoch. The
// actor stores ids longer than parties do (actor_remembers_longer). If a party knows an id and the actor does not, the
// party refuses the event in `done`, and the event's caller receives the answer that the arm is lost.
//
// After an exception, make a new actor from the rows, because memory and rows may differ. Waiting events that are not
// on the disk are lost until callers ask for these events again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/live/order/frames.h"
#include "apps/live/roles/call_figures.h"
#include "apps/live/roles/decisions.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/planner.h"
#include "apps/live/roles/waiting_events.h"
#include "apps/live/roles/window_subjects.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

struct ActorPeers {
  std::size_t parties = 2;
  bool has_dealer = true;
  bool has_helper = false;  // true: node numbers are in the order parties, helper, actor
  // The time in ms that the dealer needs for a planned learn. During this time decides may run before the learn.
  std::uint64_t learn_head_start = 0;
  // If padding is hidden, these functions make an id and a subject for each dummy event of a decide.
  std::function<EventId()> padding_event{};
  std::function<std::string()> padding_subject{};

  [[nodiscard]] NodeId rewarder() const { return static_cast<NodeId>(parties + (has_helper ? 2 : 1)); }
};

// An entry to send, or a learn to begin. Send the skip frames first: they name earlier programs that are skipped.
struct Proposal {
  std::vector<SkipFrame> skips;
  std::optional<BeginFrame> begin{};  // if set, a learn begins and there is no entry
  ProposeFrame propose;
};

// The caller receives the baseline arm so many ms after the call.
[[nodiscard]] std::uint64_t deadline_of(const DecisionRequest& request, const LiveSettings& settings);

// `times`: how often the clock was set back by a second or more while batches with later times were pending. `ahead`:
// by how many ms the clock was set back the last time. `at`: the time of the last such change.
struct ClockTurns {
  std::uint64_t times = 0;
  LiveTime ahead = 0;
  LiveTime at = 0;

  friend bool operator==(const ClockTurns&, const ClockTurns&) = default;
};

struct PassedDeadlines {
  std::vector<LiveAnswer> baselines;
  std::vector<EventId> unanswered;  // events removed from the queue without an answer: no baseline arm
};

class LiveActor {
 public:
  // `recovery_request`: the recovery that the role was started with.
  LiveActor(LiveRows& rows, const LiveSettings& settings, ActorPeers peers,
            const RecoveryRequest& recovery_request = {});

  // ---- the epoch
  [[nodiscard]] LiveHistory history() const { return book_.history(); }
  // Whether the actor lacks the number of the opening, so that the parties must restate this number.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // If the actor's store is lost, takes the batches that a party still knows. Call before open(), for each frame. The
  // batches are on the disk when this function returns. Throws ProtocolError if the store is not lost.
  void adopt(const KnownFrame& known);
  // Opens the epoch and writes it to the disk. If lacks() is true, `restated` has the frames of all parties, in the
  // order of the parties. Throws DisagreementError if the opening does not fit the actor's numbers, or if the actor was
  // not started with the opening's recovery. Throws ProtocolError if the restated entry does not belong to the number.
  void open(const LiveOpening& opening, const net::SessionId& session, std::span<const RestateFrame> restated,
            LiveTime now);
  // Call when all roles have opened the epoch. Returns the answers from restated numbers, for calls that wait.
  [[nodiscard]] std::vector<LiveAnswer> all_ready();
  // Call when the epoch has ended. Events of the running decide wait again.
  void leave_epoch();

  // ---- calls
  // Processes all requests in one transaction, in the given order. If an event already waits, the earlier of its
  // deadlines applies. With `keep` a waiting event is on the disk when this function returns, and will be answered even
  // if this process crashes.
  [[nodiscard]] std::vector<AskResult> ask(std::span<const DecisionRequest> requests, LiveTime now, bool keep);
  [[nodiscard]] AskResult ask(const DecisionRequest& request, LiveTime now, bool keep = false) {
    return ask(std::span(&request, 1), now, keep).front();
  }
  // The answer that a call about the event would receive. Returns nothing if the event is not known, and `pending` if
  // the event waits.
  [[nodiscard]] std::optional<AskResult> find(const EventId& event) const;
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  [[nodiscard]] PassedDeadlines pass_deadlines(LiveTime now);
  // Activates all events in one transaction, in the given order.
  [[nodiscard]] std::vector<ActivateStatus> activate(std::span<const EventId> events);
  void set_draining(bool draining) { draining_ = draining; }
  [[nodiscard]] bool is_drained() const { return draining_ && waiting_.empty() && !running_ && !concurrent_; }
  // Requests a change of mode. The change comes before all other entries, except a learn that has begun.
  void change_mode(LiveMode mode) { wanted_mode_ = mode; }
  // Requests a copy of the model at the parties, with the same precedence as a change of mode.
  void take_snapshot() { wants_snapshot_ = true; }
  // Erases some of the old ids, and writes figures that are not written yet.
  void forget(LiveTime now);
  // Whether forget() has more old rows to erase in its next call.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }
  // Records `now` as the time at which the figures begin, unless such a time is already recorded.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& figure_history() const noexcept {
    return figures_.history();
  }

  // ---- the order
  // Returns the next plan, if more programs should be dealt or prepared.
  [[nodiscard]] std::optional<PlanFrame> plan(LiveTime now);
  // Returns the next entry, if there is work, a program for this work, and no other running entry. A proposal may also
  // begin a learn, whose entry comes later.
  [[nodiscard]] std::optional<Proposal> propose(LiveTime now);
  // Whether the next plan can wait until the proposed entry is done: no caller waits, and enough programs are planned.
  // False with a cadence, because the times of plans must not reveal the times of events.
  [[nodiscard]] bool can_plan_later() const;
  // The learn that has begun but has no number yet, or null.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &concurrent_->learn : nullptr; }
  // Records that the rounds of the learn have ended at party `from`. For the actor itself, `from` is the number of
  // parties or more. Throws ProtocolError if the rounds cannot have ended.
  void ran(NodeId from, const RanFrame& frame);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // For the learn that has begun: the arm of each event of the learn's batches, in order. An event without an arm gets
  // an all-zero one-hot.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> played_arms() const;
  // Take the result of the running decide's rounds. set_arms(): the arm of each event. set_answered(), for a secret
  // decide: the sum that was shown.
  void set_arms(std::vector<std::uint16_t> arms);
  void set_answered(std::uint64_t told);
  // For a running secret decide: the arms that the callers of its events play. Events beyond a subject's limit for the
  // window have no arm.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> own_arms() const;
  // Processes the frame `done` of a role. Returns true if every party and the rewarder have now sent `done`. Throws
  // ProtocolError if the roles' results differ.
  [[nodiscard]] bool done(NodeId from, const DoneFrame& frame);
  // Commits the running number to the disk. Returns the answers of this number, for calls that wait. Throws
  // std::logic_error if done() has not returned true.
  [[nodiscard]] std::vector<LiveAnswer> commit(LiveTime now);
  // Returns the frame that announces the last number as settled. Returns nothing if a plan or a later entry has
  // announced this.
  [[nodiscard]] std::optional<SettledFrame> settle(LiveTime now);
  // The changes of the clock since this object was made.
  [[nodiscard]] const ClockTurns& clock_turns() const { return clock_turns_; }
  // The time at which the next deadline passes, so that pass_deadlines() must be called.
  [[nodiscard]] std::optional<LiveTime> next_deadline() const { return waiting_.next_deadline(); }
  // If no entry is running: the next time at which plan(), propose() or settle() may have work, even if no new call
  // arrives. Returns nothing if there is no such time.
  [[nodiscard]] std::optional<LiveTime> next_turn() const;

  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t queued() const { return waiting_.size(); }
  [[nodiscard]] const OrderBook& book() const { return book_; }

 private:
  // Which events of a secret decide are counted in the window.
  struct InWindow {
    std::vector<bool> counted;          // for each event, whether it is counted
    std::vector<SubjectHash> subjects;  // subjects of the counted events, without events that have no subject
  };
  struct Running {
    OrderEntry entry;
    net::Digest digest{};
    std::vector<WaitingEvent> events;  // the events of a decide, without padding
    std::optional<std::vector<std::uint16_t>> arms;
    std::optional<std::uint64_t> told;  // for a secret decide: the sum that was shown
    std::map<NodeId, net::Digest> done;
    std::set<std::uint32_t> refused;  // indices of events that any party has refused
  };
  struct Concurrent {
    BeginFrame learn;
    std::size_t events = 0;
    std::set<NodeId> ran;
    bool gave_way = false;  // true if a decide ran after the learn's rounds had ended
  };
  struct Due {
    std::vector<OrderNumber> batches;
    std::size_t events = 0;
    std::size_t first = 0;
  };

  // Handles a clock that was set back to `now`. Every function with a parameter for the time, except ask(), calls
  // take_time() first. The time that ask() receives may be earlier.
  void take_time(LiveTime now);
  [[nodiscard]] static OrderNumber number_in(const LiveRow& event);
  [[nodiscard]] std::optional<DecisionRow> stored(const RowDraft& draft, const EventId& event) const;
  [[nodiscard]] std::optional<LiveAnswer> answer_of(const EventId& event, const DecisionRow& row) const;
  [[nodiscard]] bool is_valid_request(const DecisionRequest& request) const;
  [[nodiscard]] AskResult ask_in(RowDraft& draft, const DecisionRequest& request, LiveTime now, bool keep);
  [[nodiscard]] AskResult ask_again(RowDraft& draft, const DecisionRequest& request, DecisionRow row);
  void put_kept(RowDraft& draft, const EventId& event) const;
  void erase_kept(RowDraft& draft, const EventId& event) const;
  void load_kept();
  // The arm that the event receives at its deadline. Returns nothing if the event then receives no answer.
  [[nodiscard]] std::optional<std::uint16_t> baseline_of(const DecisionRequest& request) const;
  [[nodiscard]] OwnArm own_of(const DecisionRequest& request) const;
  void count_answered(std::uint16_t arm, bool is_baseline);
  [[nodiscard]] PlannerNeeds needs(LiveTime now) const;
  [[nodiscard]] std::size_t batch_limit_now() const;
  [[nodiscard]] Due due(LiveTime now, std::size_t most) const;
  // Whether due batches may wait, so that waiting events come first or more batches become due.
  [[nodiscard]] bool holds_learns(const Due& batches, bool decides, LiveTime now) const;
  [[nodiscard]] bool model_is_full(LiveTime now) const;
  [[nodiscard]] OrderEntry next_entry() const;
  [[nodiscard]] OrderEntry make_decide(const TakenProgram& program);
  void pad(OrderEntry& entry) const;
  void begin_learn(const TakenProgram& program, Proposal& proposal, LiveTime now);
  void propose_learn(Proposal& proposal);
  void propose_change(Proposal& proposal);
  void propose_snapshot(Proposal& proposal);
  void start(Proposal& proposal, OrderEntry entry);
  void recover(RowDraft& draft, const LiveOpening& opening);
  // Writes the event of a decide with its arm, or without an arm if a party has refused the event. `event` has the
  // request, and is null if the request is not known.
  void put_decision(RowDraft& draft, const EventId& id, std::optional<std::uint16_t> arm, const WaitingEvent* event,
                    OrderNumber number, LiveTime now);
  [[nodiscard]] ChainRow row_of_restated(const LiveOpening& opening, std::span<const RestateFrame> restated) const;
  [[nodiscard]] InWindow in_window(const OrderEntry& entry) const;
  [[nodiscard]] Compared compare(RowDraft& draft, const OrderEntry& entry, std::uint64_t told);
  void put_restated(RowDraft& draft, std::span<const RestateFrame> restated, LiveTime now);
  [[nodiscard]] std::vector<LiveAnswer> take_answers(const std::vector<EventId>& events);
  [[nodiscard]] std::uint16_t arm_at(std::size_t place) const;

  LiveRows& rows_;
  LiveSettings settings_;
  ActorPeers peers_;
  OrderBook book_;
  WindowSubjects window_;
  WaitingEvents waiting_;
  KeptFigures figures_;
  ProgramPlanner planner_;
  std::optional<Running> running_;
  std::optional<Concurrent> concurrent_;
  std::optional<LiveMode> wanted_mode_;
  bool wants_snapshot_ = false;
  std::optional<OrderBook::Counts> adopted_;  // after a lost store: counts and model number that the parties know
  std::vector<EventId> restated_;             // events of restated numbers; their answers wait for all_ready()
  EventAges baselines_;                       // events that received the baseline arm before any batch took them
  ClockTurns clock_turns_;
  bool is_open_ = false;
  bool ready_ = false;
  bool draining_ = false;
  LiveTime committed_ = 0;
  LiveTime learn_planned_ = 0;  // time at which the last learn was planned
  LiveTime learned_ = 0;        // time at which the last learn was committed here
  LiveTime last_decide_ = 0;    // with a cadence: time of the last decide
  OrderNumber told_settled_ = 0;
};

// Computes the arms of a decide from the lanes of all parties. The lanes of a party have events x arms bytes. For each
// event, the sum of the parties' lanes modulo 256 is the one-hot of the arm. Throws ProtocolError if a sum is not a
// one-hot.
[[nodiscard]] std::vector<std::uint16_t> arms_of_lanes(std::span<const RestateFrame> restated, std::size_t arms);
// Computes the sum of agreement that a secret decide showed, from the 8-byte share of each party.
[[nodiscard]] std::uint64_t answered_by_lanes(std::span<const RestateFrame> restated);

}  // namespace sotto::apps::live
