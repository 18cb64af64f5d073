// The rewarder of the decision service: it takes rewards, and gives the rewards of a batch when the batch is learned.
// The rewarder is a state machine without clock, thread or link. The order comes to it through party 0, unchanged.
//
// post() stores rewards of events that were decided, and of unknown events for a while. The first call for a learn
// closes the rewards of its batches before it returns: rewards that were acknowledged before are learned, and later
// rewards are late.
//
// prepare() writes a number, and only then returns the `done` that may leave. An event of a learned batch may be
// decided again after the other roles have forgotten it. Then it is a new event here too.
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
  // `wish`: the recovery that the role was started with.
  LiveRewarder(LiveRows& rows, const LiveSettings& settings, const LiveWish& wish = {});

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // Whether a party has to restate the number of the opening.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // For a lost store, before open(): takes what a party still knows. When this returns, all of it is on the disk.
  // Throws ProtocolError if the store is not lost.
  void adopt(const KnownFrame& known);
  // Rolls back a number above the opening's number, adds a missing number, or makes the recovery; this is on the disk
  // when the call returns. Throws DisagreementError if the opening does not fit, or this role was not started with the
  // recovery. Throws ProtocolError if the restated entry does not belong to the number.
  void open(const LiveOpening& opening, const net::SessionId& session, const RestateFrame* restated, LiveTime now);
  void leave_epoch() {
    running_.reset();
    concurrent_.reset();
  }

  // ---- calls
  // Does all calls in one transaction, in their order.
  [[nodiscard]] std::vector<RewardStatus> post(std::span<const RewardCall> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  // Drops rewards whose events never came, and old ids. Returns how many rewards were dropped.
  std::size_t forget(LiveTime now);
  // Whether there is more to forget for the next call.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }

  // ---- the order
  // When this returns, it is on the disk that the learn's batches take no more rewards. Throws ProtocolError if the
  // learn cannot begin.
  void begin(const BeginFrame& learn);
  // The learn that has begun and whose number is not done.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &*concurrent_ : nullptr; }
  // Takes the next entry. Throws ProtocolError if the entry cannot be the next one, or is a learn that has not begun.
  void propose(const OrderEntry& entry);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &*running_ : nullptr; }
  // For the learn that has begun: one reward per event of its batches, in order.
  [[nodiscard]] std::vector<LearnedReward> learned_rewards() const;
  // Writes the number, which is on the disk when this returns. The frame may then leave.
  [[nodiscard]] DoneFrame prepare(LiveTime now);
  // Notes that the last number stays. Throws ProtocolError if the frame names another number.
  void settle(const SettledFrame& frame);

  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  // Begins to count figures at `now`, unless that has begun before.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }

 private:
  [[nodiscard]] static OrderNumber number_in(const LiveRow& event);
  [[nodiscard]] std::optional<RewardRow> stored(const RowDraft& draft, const EventId& event) const;
  [[nodiscard]] RewardStatus post_one(RowDraft& draft, const RewardCall& call, LiveTime now);
  [[nodiscard]] RewardStatus post_unknown(RowDraft& draft, const RewardCall& call, LiveTime now);
  void put_number(RowDraft& draft, ChainRow row, LiveTime now);
  // The rewards of the events of the batches, in order.
  [[nodiscard]] std::vector<LearnedReward> rewards_of(const RowDraft& draft,
                                                      const std::vector<OrderNumber>& batches) const;
  // The tally of a learn of these batches, whose rewards are closed.
  [[nodiscard]] OrderTally tally_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;
  void roll_back(RowDraft& draft, LiveTime now);
  void recover(RowDraft& draft, const LiveOpening& opening, LiveTime now);
  void catch_up(RowDraft& draft, const LiveOpening& opening, const RestateFrame* restated, LiveTime now);

  LiveRows& rows_;
  LiveSettings settings_;
  OrderBook book_;
  KeptFigures figures_;
  EventAges unknown_;  // events with rewards and no number; includes events whose number came since
  std::optional<OrderEntry> running_;
  std::optional<BeginFrame> concurrent_;
  std::optional<OrderBook::Counts> adopted_;  // if the store was lost: the counts that the parties know
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
