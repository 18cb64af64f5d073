// The actor of the decision service receives the calls for decisions, makes the one order of all roles, and answers
// with the arms. The actor is a state machine without clock, thread or link. `now` is the time of the actor's clock. A
// jump of the clock changes when the actor acts, but never the order of its actions. If a clock that was ahead is set
// back, nothing has to wait until the clock reaches the old time again. After an exception, make a new actor from the
// rows.
//
// The life of an event:
// - ask(): the event waits in memory. With `keep` the event is also on the disk.
// - propose(): the event becomes part of the running decide.
// - commit(): when every party and the rewarder have the decide on their disks, the actor writes the arm and then
//   returns the answer.
// - pass_deadlines(): if the deadline passes before the commit, the actor writes the baseline arm and then returns it.
//   If both an arm and the baseline arm exist, the one that was written first is the answer.
// - propose(), as soon as `reward_wait` has passed since the commit: the batch accepts no more activations, and the
//   learn of the batch begins with the one-hots of played_arms(). An event that received the baseline arm, or is not
//   active, has an all-zero one-hot. When the rounds of the learn have ended at all parties, propose() proposes the
//   entry of the learn.
//
// The parties write a decide to their disks before they send the arms of the decide to the actor. So the parties never
// draw an arm again that the actor has seen. If the parties have done an entry and the actor has not, the parties send
// the entry again when the epoch opens (restate), with the same arm lanes. The actor answers callers with these arms
// only after all roles have opened the epoch.
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
  std::uint64_t learn_head_start = 0;
  // If padding is hidden, these functions make an id and a subject for each dummy event.
  std::function<EventId()> padding_event{};
  std::function<std::string()> padding_subject{};

  [[nodiscard]] NodeId rewarder() const { return static_cast<NodeId>(parties + (has_helper ? 2 : 1)); }
};

// Send the skip frames first.
struct Proposal {
  std::vector<SkipFrame> skips;
  std::optional<BeginFrame> begin{};
  ProposeFrame propose;
};

[[nodiscard]] std::uint64_t deadline_of(const DecisionRequest& request, const LiveSettings& settings);

// `times` counts how often the clock was set back to a time before the time of an open batch, by a second or more.
// `ahead` is the last difference in ms, and `at` is when the actor noticed it.
struct ClockTurns {
  std::uint64_t times = 0;
  LiveTime ahead = 0;
  LiveTime at = 0;

  friend bool operator==(const ClockTurns&, const ClockTurns&) = default;
};

struct PassedDeadlines {
  std::vector<LiveAnswer> baselines;
  std::vector<EventId> unanswered;
};

class LiveActor {
 public:
  LiveActor(LiveRows& rows, const LiveSettings& settings, ActorPeers peers,
            const RecoveryRequest& recovery_request = {});

  [[nodiscard]] LiveHistory history() const { return book_.history(); }
  // If true, the parties must send the opening's entry again.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // If the actor's store is lost, stores the batches that a party still knows. Call before open(), for each frame. The
  // batches are on the disk when this function returns. Throws ProtocolError if the store is not lost.
  void adopt(const KnownFrame& known);
  // Opens the epoch and writes it to the disk. If lacks() is true, `restated` has the frames of all parties, in the
  // order of the parties. Throws DisagreementError if the opening does not fit the actor's entries, or if the actor was
  // not started with the opening's recovery. Throws ProtocolError if the restated entry does not belong to the opening.
  void open(const LiveOpening& opening, const net::SessionId& session, std::span<const RestateFrame> restated,
            LiveTime now);
  [[nodiscard]] std::vector<LiveAnswer> all_ready();
  // Events of the running decide wait again.
  void leave_epoch();

  // Processes all requests in one transaction, in the given order. If an event already waits, the earlier of its
  // deadlines applies. With `keep` a waiting event is on the disk when this function returns, and will be answered even
  // if this process crashes.
  [[nodiscard]] std::vector<AskResult> ask(std::span<const DecisionRequest> requests, LiveTime now, bool keep);
  [[nodiscard]] AskResult ask(const DecisionRequest& request, LiveTime now, bool keep = false) {
    return ask(std::span(&request, 1), now, keep).front();
  }
  // Returns nothing if the event is not known, and `pending` if the event waits.
  [[nodiscard]] std::optional<AskResult> find(const EventId& event) const;
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  [[nodiscard]] PassedDeadlines pass_deadlines(LiveTime now);
  [[nodiscard]] std::vector<ActivateStatus> activate(std::span<const EventId> events);
  void set_draining(bool draining) { draining_ = draining; }
  [[nodiscard]] bool is_drained() const { return draining_ && waiting_.empty() && !running_ && !concurrent_; }
  // A change of mode or a copy of the model comes before all other entries, except a learn that has begun.
  void change_mode(LiveMode mode) { wanted_mode_ = mode; }
  void take_snapshot() { wants_snapshot_ = true; }
  void forget(LiveTime now);
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& figure_history() const noexcept {
    return figures_.history();
  }

  [[nodiscard]] std::optional<PlanFrame> plan(LiveTime now);
  [[nodiscard]] std::optional<Proposal> propose(LiveTime now);
  // Whether the next plan can wait until the proposed entry is done. False with a cadence, because the times of plans
  // must not reveal the times of events.
  [[nodiscard]] bool can_plan_later() const;
  // The learn that has begun and whose entry is not done yet, or null.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &concurrent_->learn : nullptr; }
  // Records that the rounds of the learn have ended at party `from`. When the rounds have ended at the actor itself,
  // call ran() with a `from` that is no party. Throws ProtocolError if the rounds cannot have ended.
  void ran(NodeId from, const RanFrame& frame);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // One element per event of the begun learn's batches, in order. An event without an arm gets an all-zero one-hot.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> played_arms() const;
  // For each event of the begun learn: whether the lift counts it at the actor, and whether its arm is the baseline
  // arm. The lift counts events whose arm the service chose among all arms, and whose caller got this arm.
  struct LiftPlayed {
    std::vector<std::uint8_t> told;
    std::vector<std::uint8_t> base;
  };
  [[nodiscard]] LiftPlayed lift_played() const;
  // The counts that the rounds of the begun learn have shown.
  void set_lift(LiftWords shown);
  void set_arms(std::vector<std::uint16_t> arms);
  void set_answered(std::uint64_t shown);
  // For each event of the running secret decide, the arm that the event's caller plays. If the subject of an event
  // already has the largest number of rows in the window, the event has no arm.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> own_arms() const;
  // Returns true if every party and the rewarder have now sent `done`. Throws ProtocolError if the roles' results
  // differ.
  [[nodiscard]] bool done(NodeId from, const DoneFrame& frame);
  // Writes the running entry to the disk. Returns the answers of this entry. Throws std::logic_error if done() has not
  // returned true.
  [[nodiscard]] std::vector<LiveAnswer> commit(LiveTime now);
  [[nodiscard]] std::optional<SettledFrame> settle(LiveTime now);
  [[nodiscard]] const ClockTurns& clock_turns() const { return clock_turns_; }
  [[nodiscard]] std::optional<LiveTime> next_deadline() const { return waiting_.next_deadline(); }
  [[nodiscard]] std::optional<LiveTime> next_turn() const;

  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t queued() const { return waiting_.size(); }
  [[nodiscard]] const OrderBook& book() const { return book_; }

 private:
  struct InWindow {
    std::vector<bool> counted;
    std::vector<SubjectHash> subjects;
  };
  struct Running {
    OrderEntry entry;
    net::Digest digest{};
    std::vector<WaitingEvent> events;
    std::optional<std::vector<std::uint16_t>> arms;
    std::optional<std::uint64_t> shown;
    std::map<NodeId, net::Digest> done;
    std::set<std::uint32_t> refused;
  };
  struct Concurrent {
    BeginFrame learn;
    std::size_t events = 0;
    std::set<NodeId> ran;
    LiftWords lift;
    bool gave_way = false;
  };
  struct Due {
    std::vector<OrderNumber> batches;
    std::size_t events = 0;
    std::size_t first = 0;
  };

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
  [[nodiscard]] std::optional<std::uint16_t> baseline_of(const DecisionRequest& request) const;
  [[nodiscard]] OwnArm own_of(const DecisionRequest& request) const;
  void count_answered(std::uint16_t arm, bool is_baseline);
  [[nodiscard]] PlannerNeeds needs(LiveTime now) const;
  [[nodiscard]] std::size_t batch_limit_now() const;
  [[nodiscard]] Due due(LiveTime now, std::size_t most) const;
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
  // `event` is null if the request is not known.
  void put_decision(RowDraft& draft, const OrderEntry& entry, std::uint32_t place, std::optional<std::uint16_t> arm,
                    const WaitingEvent* event, LiveTime now);
  [[nodiscard]] std::uint16_t offered(const OrderEntry& entry, std::uint32_t place) const;
  [[nodiscard]] ChainRow row_of_restated(const LiveOpening& opening, std::span<const RestateFrame> restated) const;
  [[nodiscard]] InWindow in_window(const OrderEntry& entry) const;
  [[nodiscard]] Compared compare(RowDraft& draft, const OrderEntry& entry, std::uint64_t shown);
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
  std::optional<OrderBook::Counts> adopted_;
  std::vector<EventId> restated_;
  EventAges baselines_;
  ClockTurns clock_turns_;
  bool is_open_ = false;
  bool ready_ = false;
  bool draining_ = false;
  LiveTime committed_ = 0;
  LiveTime learn_planned_ = 0;
  LiveTime learned_ = 0;
  LiveTime last_decide_ = 0;
  OrderNumber told_settled_ = 0;
};

// The lanes of a party have events x arms bytes. For each event, the sum of the parties' lanes modulo 256 is the
// one-hot of the arm. Throws ProtocolError if a sum is not a one-hot.
[[nodiscard]] std::vector<std::uint16_t> arms_of_lanes(std::span<const RestateFrame> restated, std::size_t arms);
[[nodiscard]] std::uint64_t answered_by_lanes(std::span<const RestateFrame> restated);
// In a learn with LiveSettings::lift, the lanes of a party are its parts of the shown counts, `words` numbers.
[[nodiscard]] LiftWords lift_by_lanes(std::span<const RestateFrame> restated, std::size_t words);

}  // namespace sotto::apps::live
