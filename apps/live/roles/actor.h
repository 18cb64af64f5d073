// The actor of the decision service: it takes the calls for decisions, makes the one order of all roles, and tells the
// arms. A state machine without clock, thread or link: calls and frames in, what may leave out. `now` is by the actor's
// clock; that it jumps changes when things happen, and never their order. Where it goes back, what was written by the
// time before counts from now on: nothing waits for as long as the clock was ahead.
//
// The life of an event. ask(): it waits, in memory; with `keep` on the disk as well, for a caller that goes. propose():
// it is on its way in a decide. commit(): once every party and the rewarder have the number on their disks, arm and
// number are written, and then the answer is returned. pass_deadlines(): where the deadline came first, the baseline is
// written, and then returned; of the two the first transaction wins. reward_wait after the commit, propose() closes the
// activation of a batch and has its learn begin, with the one-hots of played_arms(): none for an event that was told
// the baseline, or is not active. The rounds of a learn are played beside decides, one learn at a time; once they have
// ended at all parties, propose() gives it its number.
//
// Exactly once. What the store holds of an event answers every later call with its id. Parties have a decide on their
// disks before its arms leave for this role, so that no arm that it has seen is ever drawn again. A number that they
// have done and this role has not comes back as the epoch opens (restate), with the same arm lanes; its arms are told
// once all roles have opened it, not before. Ids are kept for longer than parties keep them (actor_remembers_longer).
// One that a party knows and this role does not is refused by that party in `done`, and its caller is told so.
//
// After an exception make a new one from the rows: its memory may be ahead of them. What waited and was not kept is
// asked again by its callers.
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
  bool has_helper = false;  // between the parties and the actor
  // ms in which a learn that was planned is dealt, and decides still go before it.
  std::uint64_t learn_head_start = 0;
  // Ids and subjects for the empty places of a decide, where padding is hidden.
  std::function<EventId()> padding_event{};
  std::function<std::string()> padding_subject{};

  [[nodiscard]] NodeId rewarder() const { return static_cast<NodeId>(parties + (has_helper ? 2 : 1)); }
};

// An entry that is to leave, or a learn that is to begin, after the frames that say which programs before are skipped.
struct Proposal {
  std::vector<SkipFrame> skips;
  std::optional<BeginFrame> begin{};  // then there is no entry
  ProposeFrame propose;
};

// Of a request, ms from when it was asked: then the caller is told the baseline.
[[nodiscard]] std::uint64_t deadline_of(const DecisionRequest& request, const LiveSettings& settings);

// How often the clock has gone back by a second or more while batches were pending that were decided by the time
// before, by how many ms the last time, and when.
struct ClockTurns {
  std::uint64_t times = 0;
  LiveTime ahead = 0;
  LiveTime at = 0;

  friend bool operator==(const ClockTurns&, const ClockTurns&) = default;
};

struct PassedDeadlines {
  std::vector<LiveAnswer> baselines;
  std::vector<EventId> unanswered;  // where there is no baseline arm: they leave the queue without an answer
};

class LiveActor {
 public:
  // `wish`: what it was started with.
  LiveActor(LiveRows& rows, const LiveSettings& settings, ActorPeers peers, const LiveWish& wish = {});

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // Whether the parties have to restate the number of the opening.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // Its store is lost: what each party still knows, before open(). On the disk when this returns. Throws ProtocolError
  // where nothing is lost.
  void adopt(const KnownFrame& known);
  // On the disk when this returns. `restated`: of every party, by number, where lacks(). Throws DisagreementError where
  // the opening does not fit what this role has done, or it was not told of the recovery, ProtocolError where what is
  // restated is not the number's.
  void open(const LiveOpening& opening, const net::SessionId& session, std::span<const RestateFrame> restated,
            LiveTime now);
  // All roles have opened the epoch. Returns the answers that came by restate to calls that wait.
  [[nodiscard]] std::vector<LiveAnswer> all_ready();
  // The epoch has ended: what was on its way waits again.
  void leave_epoch();

  // ---- calls
  // All in one transaction, in the order of the calls. Where an event waits already it has its answer by the earlier of
  // both deadlines. With `keep` what waits is on the disk when this returns, and is answered whatever happens to this
  // process.
  [[nodiscard]] std::vector<AskResult> ask(std::span<const DecisionRequest> requests, LiveTime now, bool keep);
  [[nodiscard]] AskResult ask(const DecisionRequest& request, LiveTime now, bool keep = false) {
    return ask(std::span(&request, 1), now, keep).front();
  }
  // What it would be told; nothing if it is not known, pending if it waits.
  [[nodiscard]] std::optional<AskResult> find(const EventId& event) const;
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  [[nodiscard]] PassedDeadlines pass_deadlines(LiveTime now);
  // All in one transaction, in the order of the calls.
  [[nodiscard]] std::vector<ActivateStatus> activate(std::span<const EventId> events);
  void set_draining(bool draining) { draining_ = draining; }
  [[nodiscard]] bool is_drained() const { return draining_ && waiting_.empty() && !running_ && !beside_; }
  // Takes its place in the order before anything else but a learn that has begun.
  void change_mode(LiveMode mode) { wanted_mode_ = mode; }
  // A copy of the model at the parties, likewise.
  void take_snapshot() { wants_snapshot_ = true; }
  // Ids of long ago are forgotten, some at a time. Figures that are not written yet are.
  void forget(LiveTime now);
  // There is more to forget, which the next call does.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }
  // From now on, if they have not begun.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }

  // ---- the order
  // Shapes for the dealer, if it should deal more.
  [[nodiscard]] std::optional<PlanFrame> plan(LiveTime now);
  // The next entry, if there is something to do, a program for it, and no other on its way; or a learn that begins,
  // whose entry comes later.
  [[nodiscard]] std::optional<Proposal> propose(LiveTime now);
  // A plan need not leave before what is proposed: nobody waits, and enough programs are planned. Not where there is a
  // cadence: what it hides must not show in the times of plans.
  [[nodiscard]] bool can_plan_later() const;
  // The learn that has begun and whose number is not done.
  [[nodiscard]] const BeginFrame* beside() const { return beside_ ? &beside_->learn : nullptr; }
  // Its rounds have ended at a party, or, from the number of parties on, here. Throws ProtocolError where they cannot
  // have.
  void ran(NodeId from, const RanFrame& frame);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &running_->entry : nullptr; }
  // Of the learn that has begun: the arm of each event of its batches, in order; nothing: an all-zero one-hot.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> played_arms() const;
  // Of the decide on its way: the arms of its places, from the rounds; or, where it is secret, the number that was
  // shown.
  void set_arms(std::vector<std::uint16_t> arms);
  void set_told(std::uint64_t told);
  // Of a secret decide on its way: the arms that the callers of its events play; nothing of an event beyond the rows of
  // a subject that a window takes.
  [[nodiscard]] std::vector<std::optional<std::uint16_t>> own_arms() const;
  // True once every party and the rewarder have said done. Throws ProtocolError where they have not done the same.
  [[nodiscard]] bool done(NodeId from, const DoneFrame& frame);
  // On the disk when this returns: the answers of the number to calls that wait. std::logic_error before done() is
  // true.
  [[nodiscard]] std::vector<LiveAnswer> commit(LiveTime now);
  // That the last number stays, to all, where no further entry has said so.
  [[nodiscard]] std::optional<SettledFrame> settle(LiveTime now);
  // Since this object was made.
  [[nodiscard]] const ClockTurns& clock_turns() const { return clock_turns_; }
  // When pass_deadlines() has something to do.
  [[nodiscard]] std::optional<LiveTime> next_deadline() const { return waiting_.next_deadline(); }
  // While nothing is on its way: when plan(), propose() or settle() may have something to do without a further call;
  // nothing if not before one.
  [[nodiscard]] std::optional<LiveTime> next_turn() const;

  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  [[nodiscard]] std::size_t queued() const { return waiting_.size(); }
  [[nodiscard]] const OrderBook& book() const { return book_; }

 private:
  // Of a secret decide.
  struct InWindow {
    std::vector<bool> counted;          // of each place
    std::vector<SubjectHash> subjects;  // of those that are counted and have one
  };
  struct Running {
    OrderEntry entry;
    net::Digest digest{};
    std::vector<WaitingEvent> events;  // of a decide, without padding
    std::optional<std::vector<std::uint16_t>> arms;
    std::optional<std::uint64_t> told;  // where it is secret
    std::map<NodeId, net::Digest> done;
    std::set<std::uint32_t> refused;  // places, by any party
  };
  struct Beside {
    BeginFrame learn;
    std::size_t events = 0;
    std::set<NodeId> ran;
    bool gave_way = false;  // to a decide, once its rounds had ended
  };
  struct Due {
    std::vector<OrderNumber> batches;
    std::size_t events = 0;
    std::size_t first = 0;
  };

  // By the clock it is `now`. Every call with a time begins with it, but for ask(), which may be of before.
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
  // What it is told at its deadline; nothing: no answer.
  [[nodiscard]] std::optional<std::uint16_t> baseline_of(const DecisionRequest& request) const;
  [[nodiscard]] OwnArm own_of(const DecisionRequest& request) const;
  void count_told(std::uint16_t arm, bool is_baseline);
  [[nodiscard]] PlannerNeeds needs(LiveTime now) const;
  [[nodiscard]] std::size_t batch_limit_now() const;
  [[nodiscard]] Due due(LiveTime now, std::size_t most) const;
  // What is due may wait: for events that wait, or for more to be due.
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
  // The event of a decide with this arm, or none where a party has refused it; whose request is known where `event` is
  // given.
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
  std::optional<Beside> beside_;
  std::optional<LiveMode> wanted_mode_;
  bool wants_snapshot_ = false;
  std::optional<OrderBook::Counts> adopted_;  // of a lost store
  std::vector<EventId> restated_;             // whose answers wait for all_ready()
  EventAges baselines_;                       // of no batch when they were told
  ClockTurns clock_turns_;
  bool is_open_ = false;
  bool ready_ = false;
  bool draining_ = false;
  LiveTime committed_ = 0;
  LiveTime learn_planned_ = 0;  // the last one
  LiveTime learned_ = 0;        // when the last learn was committed here
  LiveTime last_decide_ = 0;    // where there is a cadence
  OrderNumber told_settled_ = 0;
};

// The arms of a decide from what every party sent of their one-hots, places x arms bytes each: their sum modulo 256 is
// the one-hot. Throws ProtocolError where it is none.
[[nodiscard]] std::vector<std::uint16_t> arms_of_lanes(std::span<const RestateFrame> restated, std::size_t arms);
// The number that a secret decide showed, likewise: 8 bytes each.
[[nodiscard]] std::uint64_t told_by_lanes(std::span<const RestateFrame> restated);

}  // namespace sotto::apps::live
