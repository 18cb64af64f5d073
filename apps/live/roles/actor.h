// The actor of the decision service takes the calls for decisions, makes the one order of all roles, and answers with
// the arms. The actor is a state machine without clock, thread or link: its functions take calls and frames, and return
// what may leave. `now` is the time of the actor's clock. A jump of the clock changes when things happen, and never
// their order. If the clock goes back, times that are ahead of it count from now on. So nothing waits for as long as
// the clock was ahead.
//
// The life of an event:
// - ask(): the event waits, in memory. With `keep` it is on the disk as well, for a caller that goes away.
// - propose(): the event is on its way in a decide.
// - commit(): once every party and the rewarder have the number on their disks, arm and number are written. After that
//   the answer is returned.
// - pass_deadlines(): if the deadline comes first, the baseline is written and then returned. Whichever of arm and
//   baseline is written first is the answer.
// - propose(), reward_wait after the commit: it closes the activation of a batch, and the learn of the batch begins
//   with the one-hots of played_arms(). An event that received the baseline, or is not active, has an all-zero one-hot.
//   The rounds of a learn are played next to decides, one learn at a time. Once the rounds have ended at all parties,
//   propose() gives the learn its number.
//
// Exactly once. The stored row of an event answers every later call with the event's id. Parties have a decide on their
// disks before its arms leave for this role, so no arm that this role has seen is ever drawn again. If the parties have
// done a number and this role has not, the number comes back as the epoch opens (restate), with the same arm lanes. The
// actor answers callers with these arms once all roles have opened the epoch, and not before. This role keeps ids for
// longer than parties do (actor_remembers_longer). If a party knows an id and this role does not, the party refuses the
// event in `done`, and the event's caller learns of that.
//
// After an exception, make a new actor from the rows, because the memory may be ahead of them. Events that waited and
// were not kept are lost until callers ask for them again.
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
  bool has_helper = false;  // true: the helper's node number is between those of the parties and the actor
  // ms that dealing a planned learn takes; decides may still go before the learn during this time.
  std::uint64_t learn_head_start = 0;
  // These functions make ids and subjects for the empty places of a decide, if padding is hidden.
  std::function<EventId()> padding_event{};
  std::function<std::string()> padding_subject{};

  [[nodiscard]] NodeId rewarder() const { return static_cast<NodeId>(parties + (has_helper ? 2 : 1)); }
};

// An entry that is to leave, or a learn that is to begin. The skip frames leave first; they say which earlier programs
// are skipped.
struct Proposal {
  std::vector<SkipFrame> skips;
  std::optional<BeginFrame> begin{};  // if set, a learn begins and there is no entry
  ProposeFrame propose;
};

// After how many ms from the call the caller receives the baseline.
[[nodiscard]] std::uint64_t deadline_of(const DecisionRequest& request, const LiveSettings& settings);

// How often the clock has gone back by a second or more while batches with later times were pending. Also by how many
// ms it went back the last time, and when.
struct ClockTurns {
  std::uint64_t times = 0;
  LiveTime ahead = 0;
  LiveTime at = 0;

  friend bool operator==(const ClockTurns&, const ClockTurns&) = default;
};

struct PassedDeadlines {
  std::vector<LiveAnswer> baselines;
  std::vector<EventId> unanswered;  // events without an answer that leave the queue, because there is no baseline arm
};

class LiveActor {
 public:
  // `wish`: the recovery that the role was started with.
  LiveActor(LiveRows& rows, const LiveSettings& settings, ActorPeers peers, const LiveWish& wish = {});

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // Whether the parties have to restate the number of the opening.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // For a lost store, before open(): takes what each party still knows. When this returns, all of it is on the disk.
  // Throws ProtocolError if the store is not lost.
  void adopt(const KnownFrame& known);
  // Opens the epoch, which is on the disk when this returns. If lacks() is true, `restated` has the frames of all
  // parties, in their order. Throws DisagreementError if the opening does not fit the numbers of this role, or the role
  // was not started with the recovery. Throws ProtocolError if the restated entry does not belong to the number.
  void open(const LiveOpening& opening, const net::SessionId& session, std::span<const RestateFrame> restated,
            LiveTime now);
  // Call when all roles have opened the epoch. Returns the answers that came by restate, for calls that wait.
  [[nodiscard]] std::vector<LiveAnswer> all_ready();
  // Call when the epoch has ended. Events on their way wait again.
  void leave_epoch();

  // ---- calls
  // Does all requests in one transaction, in their order. An event that already waits is answered by the earlier of the
  // two deadlines. With `keep` a waiting event is on the disk when this returns, and is answered whatever happens to
  // this process.
  [[nodiscard]] std::vector<AskResult> ask(std::span<const DecisionRequest> requests, LiveTime now, bool keep);
  [[nodiscard]] AskResult ask(const DecisionRequest& request, LiveTime now, bool keep = false) {
    return ask(std::span(&request, 1), now, keep).front();
  }
  // The answer that a call would receive; nothing if the event is not known, pending if it waits.
  [[nodiscard]] std::optional<AskResult> find(const EventId& event) const;
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  [[nodiscard]] PassedDeadlines pass_deadlines(LiveTime now);
  // Activates all events in one transaction, in their order.
  [[nodiscard]] std::vector<ActivateStatus> activate(std::span<const EventId> events);
  void set_draining(bool draining) { draining_ = draining; }
  [[nodiscard]] bool is_drained() const { return draining_ && waiting_.empty() && !running_ && !concurrent_; }
  // Requests a change of mode. It goes before everything else in the order, except a learn that has begun.
  void change_mode(LiveMode mode) { wanted_mode_ = mode; }
  // Requests a copy of the model at the parties, with the same precedence as a change of mode.
  void take_snapshot() { wants_snapshot_ = true; }
  // Forgets old ids, some at a time. Writes figures that are not written yet.
  void forget(LiveTime now);
  // Whether there is more to forget for the next call.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }
  // Begins to count figures at `now`, unless that has begun before.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }

  // ---- the order
  // The next plan, if the dealer should deal more programs.
  [[nodiscard]] std::optional<PlanFrame> plan(LiveTime now);
  // The next entry, if there is something to do, a program for it, and no other entry on its way. It may also be a
  // learn that begins, whose entry comes later.
  [[nodiscard]] std::optional<Proposal> propose(LiveTime now);
  // Whether a plan may leave after the proposed entry: no caller waits, and enough programs are planned. False with a
  // cadence, because the times of plans must not show what the cadence hides.
  [[nodiscard]] bool can_plan_later() const;
  // The learn that has begun and whose number is not done.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &concurrent_->learn : nullptr; }
  // Notes that the rounds of the learn have ended at party `from`. At this role itself, `from` is the number of parties
  // or more. Throws ProtocolError if the rounds cannot have ended.
  void ran(NodeId from, const RanFrame& frame);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // For the learn that has begun: the arm of each event of its batches, in order. Nothing means an all-zero one-hot.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> played_arms() const;
  // Takes the result of the rounds of the decide on its way: the arms of its places. A secret decide instead gives the
  // number that was shown.
  void set_arms(std::vector<std::uint16_t> arms);
  void set_told(std::uint64_t told);
  // For a secret decide on its way: the arms that the callers of its events play. Nothing for an event beyond the rows
  // that a window takes of a subject.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> own_arms() const;
  // Takes the `done` of a role. True once every party and the rewarder have sent it. Throws ProtocolError if the roles
  // have not done the same.
  [[nodiscard]] bool done(NodeId from, const DoneFrame& frame);
  // Commits the number, which is on the disk when this returns. Returns the answers of the number, for calls that wait.
  // Throws std::logic_error if done() has not returned true.
  [[nodiscard]] std::vector<LiveAnswer> commit(LiveTime now);
  // The frame that says to all roles that the last number stays; nothing if a further entry has said so.
  [[nodiscard]] std::optional<SettledFrame> settle(LiveTime now);
  // Counts since this object was made.
  [[nodiscard]] const ClockTurns& clock_turns() const { return clock_turns_; }
  // The time at which pass_deadlines() has something to do.
  [[nodiscard]] std::optional<LiveTime> next_deadline() const { return waiting_.next_deadline(); }
  // While nothing is on its way: the time at which plan(), propose() or settle() may have something to do without a
  // further call. Nothing if they need a further call.
  [[nodiscard]] std::optional<LiveTime> next_turn() const;

  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t queued() const { return waiting_.size(); }
  [[nodiscard]] const OrderBook& book() const { return book_; }

 private:
  // The comparison of a secret decide with the window.
  struct InWindow {
    std::vector<bool> counted;          // for each place, whether it is counted
    std::vector<SubjectHash> subjects;  // subjects of the counted places that have one
  };
  struct Running {
    OrderEntry entry;
    net::Digest digest{};
    std::vector<WaitingEvent> events;  // the events of a decide, without padding
    std::optional<std::vector<std::uint16_t>> arms;
    std::optional<std::uint64_t> told;  // for a secret decide: the number that was shown
    std::map<NodeId, net::Digest> done;
    std::set<std::uint32_t> refused;  // places that any party has refused
  };
  struct Concurrent {
    BeginFrame learn;
    std::size_t events = 0;
    std::set<NodeId> ran;
    bool gave_way = false;  // whether the learn gave way to a decide after its rounds had ended
  };
  struct Due {
    std::vector<OrderNumber> batches;
    std::size_t events = 0;
    std::size_t first = 0;
  };

  // Takes `now` as the clock's time. Every call with a time begins with this, except ask(), whose time may be earlier.
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
  // The arm that the event receives at its deadline; nothing if it receives no answer.
  [[nodiscard]] std::optional<std::uint16_t> baseline_of(const DecisionRequest& request) const;
  [[nodiscard]] OwnArm own_of(const DecisionRequest& request) const;
  void count_told(std::uint16_t arm, bool is_baseline);
  [[nodiscard]] PlannerNeeds needs(LiveTime now) const;
  [[nodiscard]] std::size_t batch_limit_now() const;
  [[nodiscard]] Due due(LiveTime now, std::size_t most) const;
  // Whether due batches may wait: for events that wait, or for more batches to be due.
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
  // Writes the event of a decide with its arm, or without one if a party has refused the event. If the request is
  // known, `event` has it.
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
  std::optional<OrderBook::Counts> adopted_;  // if the store was lost: the counts that the parties know
  std::vector<EventId> restated_;             // events that came by restate, whose answers wait for all_ready()
  EventAges baselines_;                       // events that were in no batch when they received the baseline
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

// The arms of a decide, from the lanes of every party; each has places x arms bytes. For each place, the lanes add up
// modulo 256 to the one-hot of the arm. Throws ProtocolError if the sum is not a one-hot.
[[nodiscard]] std::vector<std::uint16_t> arms_of_lanes(std::span<const RestateFrame> restated, std::size_t arms);
// The number that a secret decide showed: the sum of the 8 bytes that each party sent.
[[nodiscard]] std::uint64_t told_by_lanes(std::span<const RestateFrame> restated);

}  // namespace sotto::apps::live
