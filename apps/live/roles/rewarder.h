// The rewarder of the decision service: it takes rewards, and gives those of a batch when that is learned. A state
// machine without clock, thread or link; the order comes to it through party 0, unchanged.
//
// post() stores rewards of events that were decided, and of unknown ones for a while. The propose of a learn closes the
// rewards of its batches before it returns: what was acknowledged before is what is learned, what comes after is late.
// prepare() writes a number, and only then returns the `done` that may leave. An event of a batch that was learned,
// which is decided once more since the others have forgotten it, is a new one here too.
//
// After an exception make a new one from the rows.
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
  // `wish`: what it was started with.
  LiveRewarder(LiveRows& rows, const LiveSettings& settings, const LiveWish& wish = {});

  // ---- the epoch
  [[nodiscard]] LiveStanding standing() const { return book_.standing(); }
  // Whether a party has to restate the number of the opening.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // Its store is lost: what a party still knows, before open(). On the disk when this returns. Throws ProtocolError
  // where nothing is lost.
  void adopt(const KnownFrame& known);
  // On the disk when this returns: what is above the opening's number is rolled back, what is missing is added, or the
  // recovery is made. Throws DisagreementError where the opening does not fit or this role was not told of the
  // recovery, ProtocolError where what is restated is not the number's.
  void open(const LiveOpening& opening, const net::SessionId& session, const RestateFrame* restated, LiveTime now);
  void leave_epoch() {
    running_.reset();
    beside_.reset();
  }

  // ---- calls
  // All in one transaction, in the order of the calls.
  [[nodiscard]] std::vector<RewardStatus> post(std::span<const RewardCall> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  // Rewards whose events did not come, and ids of long ago, are dropped. Says how many rewards were.
  std::size_t forget(LiveTime now);
  // There is more to forget, which the next call does.
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }

  // ---- the order
  // On the disk when this returns: that its batches take no reward any more. Throws ProtocolError where such a learn
  // cannot begin.
  void begin(const BeginFrame& learn);
  // The learn that has begun and whose number is not done.
  [[nodiscard]] const BeginFrame* beside() const { return beside_ ? &*beside_ : nullptr; }
  // Throws ProtocolError where it cannot be the next entry, or is a learn that has not begun.
  void propose(const OrderEntry& entry);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &*running_ : nullptr; }
  // Of the learn that has begun, an event of its batches each, in order.
  [[nodiscard]] std::vector<LearnedReward> learned_rewards() const;
  // On the disk when this returns.
  [[nodiscard]] DoneFrame prepare(LiveTime now);
  // The last number stays. Throws ProtocolError where it is another one.
  void settle(const SettledFrame& frame);

  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
  // From now on, if they have not begun.
  void begin_figures(LiveTime now) { figures_.begin(now); }
  void write_figures();
  [[nodiscard]] const CallFigures& figures() const noexcept { return figures_.figures(); }

 private:
  [[nodiscard]] static OrderNumber number_in(const LiveRow& event);
  [[nodiscard]] std::optional<RewardRow> stored(const RowDraft& draft, const EventId& event) const;
  [[nodiscard]] RewardStatus post_one(RowDraft& draft, const RewardCall& call, LiveTime now);
  [[nodiscard]] RewardStatus post_unknown(RowDraft& draft, const RewardCall& call, LiveTime now);
  void put_number(RowDraft& draft, ChainRow row, LiveTime now);
  // Of the events of the batches, in order.
  [[nodiscard]] std::vector<LearnedReward> rewards_of(const RowDraft& draft,
                                                      const std::vector<OrderNumber>& batches) const;
  // What a learn of these batches has learned, whose rewards are closed.
  [[nodiscard]] OrderTally tally_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;
  void roll_back(RowDraft& draft, LiveTime now);
  void recover(RowDraft& draft, const LiveOpening& opening, LiveTime now);
  void catch_up(RowDraft& draft, const LiveOpening& opening, const RestateFrame* restated, LiveTime now);

  LiveRows& rows_;
  LiveSettings settings_;
  OrderBook book_;
  KeptFigures figures_;
  EventAges unknown_;  // also of events that came since
  std::optional<OrderEntry> running_;
  std::optional<BeginFrame> beside_;
  std::optional<OrderBook::Counts> adopted_;  // of a lost store
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
