// The rewarder of the decision service: stores rewards, and brings the rewards of a batch to the learn of the batch.
// The rewarder is a state machine without clock, thread or link. Party 0 relays the frames of the order to the rewarder
// unchanged.
//
// post() stores rewards of decided events, and rewards of unknown events for a limited time. begin() closes the batches
// of a learn before it returns. Rewards that were acknowledged before are learned, and later rewards are late.
//
// prepare() writes a number to the disk, and then returns the frame `done` to send. After the other roles have
// forgotten an event of a learned batch, the event may be decided again. The rewarder then treats the event as a new
// event too.
//
// After an exception, make a new rewarder from the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/frames.h"
#include "apps/live/roles/call_figures.h"
#include "apps/live/roles/order_book.h"
#include "apps/live/roles/rewards.h"
#include "apps/live/roles/waiting_events.h"

namespace sotto::apps::live {

class LiveRewarder {
 public:
  // `recovery_request`: the request for a recovery that the role was started with.
  LiveRewarder(LiveRows& rows, const LiveSettings& settings, const RecoveryRequest& recovery_request = {});

  // ---- the epoch
  [[nodiscard]] LiveHistory history() const { return book_.history(); }
  // Whether the rewarder lacks the number of the opening, so that a party must restate this number.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // If the rewarder's store is lost, takes the batches that a party still knows. Call before open(), for each frame.
  // The batches are on the disk when this function returns. Throws ProtocolError if the store is not lost.
  void adopt(const KnownFrame& known);
  // Rolls back a number above the opening's number, adds a missing number, or does the recovery, and writes the result
  // to the disk. Throws DisagreementError if the opening does not fit the rewarder's numbers, or if the rewarder was
  // not started with the recovery. Throws ProtocolError if the restated entry does not belong to the number.
  void open(const LiveOpening& opening, const net::SessionId& session, const RestateFrame* restated, LiveTime now);
  void leave_epoch() {
    running_.reset();
    concurrent_.reset();
  }

  // ---- calls
  // Processes all calls in one transaction, in the given order.
  [[nodiscard]] std::vector<RewardStatus> post(std::span<const RewardCall> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  // Erases old rewards of events that were never decided, and some of the old ids. Returns how many rewards were
  // erased.
  std::size_t forget(LiveTime now);
  // Whether forget() has more old rows to erase in its next call.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }

  // ---- the order
  // Begins a learn: writes to the disk that the learn's batches accept no more rewards. Throws ProtocolError if the
  // learn cannot begin.
  void begin(const BeginFrame& learn);
  // The learn that has begun but has no number yet, or null.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &*concurrent_ : nullptr; }
  // Begins the next entry. Throws ProtocolError if the entry cannot be the next one, or is a learn that has not begun.
  void propose(const OrderEntry& entry);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &*running_ : nullptr; }
  // For the learn that has begun: one reward per event of the learn's batches, in order.
  [[nodiscard]] std::vector<LearnedReward> learned_rewards() const;
  // Writes the number to the disk. Returns the frame to send.
  [[nodiscard]] DoneFrame prepare(LiveTime now);
  // Records that the last number is settled. Throws ProtocolError if the frame names another number.
  void settle(const SettledFrame& frame);

  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  // Records `now` as the time at which the figures begin, unless such a time is already recorded.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }
  [[nodiscard]] const std::shared_ptr<const HistoryPoints>& figure_history() const noexcept {
    return figures_.history();
  }

 private:
  [[nodiscard]] static OrderNumber number_in(const LiveRow& event);
  [[nodiscard]] std::optional<RewardRow> stored(const RowDraft& draft, const EventId& event) const;
  [[nodiscard]] RewardStatus post_one(RowDraft& draft, const RewardCall& call, LiveTime now);
  [[nodiscard]] RewardStatus post_unknown(RowDraft& draft, const RewardCall& call, LiveTime now);
  void put_number(RowDraft& draft, ChainRow row, LiveTime now);
  // The rewards of the events of the batches, in order.
  [[nodiscard]] std::vector<LearnedReward> rewards_of(const RowDraft& draft,
                                                      const std::vector<OrderNumber>& batches) const;
  // The counts that a learn of these batches adds to the tally. The batches must be closed.
  [[nodiscard]] OrderTally tally_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;
  void roll_back(RowDraft& draft, LiveTime now);
  void recover(RowDraft& draft, const LiveOpening& opening, LiveTime now);
  void catch_up(RowDraft& draft, const LiveOpening& opening, const RestateFrame* restated, LiveTime now);

  LiveRows& rows_;
  LiveSettings settings_;
  OrderBook book_;
  KeptFigures figures_;
  EventAges unknown_;  // events with rewards but no number; may include events that have a number now
  std::optional<OrderEntry> running_;
  std::optional<BeginFrame> concurrent_;
  std::optional<OrderBook::Counts> adopted_;  // after a lost store: counts and model number that the parties know
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
