// The rewarder of the decision service: stores rewards, and inputs the rewards of a batch into the learn of the batch.
// The rewarder is a state machine without clock, thread or link. After an exception, make a new rewarder from the rows.
//
// begin() closes the batches of a learn. Rewards that were acknowledged before begin() are learned, and later rewards
// are late. prepare() writes an entry to the disk, and then returns the frame `done` to send.
#pragma once

#include <cstdint>
#include <functional>
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
  LiveRewarder(LiveRows& rows, const LiveSettings& settings, const RecoveryRequest& recovery_request = {});

  [[nodiscard]] LiveHistory history() const { return book_.history(); }
  // If true, a party must send the opening's entry again.
  [[nodiscard]] bool lacks(const LiveOpening& opening) const;
  // If the rewarder's store is lost, stores the batches that a party still knows. Call before open(), for each frame.
  // The batches are on the disk when this function returns. Throws ProtocolError if the store is not lost.
  void adopt(const KnownFrame& known);
  // Rolls back an entry above the opening's number, adds a missing entry, or does the recovery, and writes the result
  // to the disk. Throws DisagreementError if the opening does not fit the rewarder's entries, or if the rewarder was
  // not started with the recovery. Throws ProtocolError if the restated entry does not belong to the opening.
  void open(const LiveOpening& opening, const net::SessionId& session, const RestateFrame* restated, LiveTime now);
  void leave_epoch() {
    running_.reset();
    concurrent_.reset();
  }

  [[nodiscard]] std::vector<RewardStatus> post(std::span<const RewardCall> calls, LiveTime now);
  [[nodiscard]] std::optional<EventView> view(const EventId& event) const;
  std::size_t forget(LiveTime now);
  [[nodiscard]] bool forgets_more() const { return book_.forgets_more(); }

  // Throws ProtocolError if the learn cannot begin.
  void begin(const BeginFrame& learn);
  // The learn that has begun and whose entry is not done yet, or null.
  [[nodiscard]] const BeginFrame* concurrent() const { return concurrent_ ? &*concurrent_ : nullptr; }
  // Throws ProtocolError if the entry cannot be the next one, or is a learn that has not begun.
  void propose(const OrderEntry& entry);
  [[nodiscard]] const OrderEntry* running() const { return running_ ? &*running_ : nullptr; }
  // For the learn that has begun: one reward per event of the learn's batches, in order.
  [[nodiscard]] std::vector<LearnedReward> learned_rewards() const;
  using Noise = std::function<std::int64_t()>;
  // Draws the noise of one count of the lift. Without this function, a learn that fills a window throws
  // std::logic_error.
  void draw_lift_noise_by(Noise noise) { lift_noise_ = std::move(noise); }
  // The noise of the counts that the begun learn shows to the actor; zeros if it shows none.
  [[nodiscard]] LiftWords shown_lift() const;
  [[nodiscard]] DoneFrame prepare(LiveTime now);
  // Throws ProtocolError if the frame names another entry than the last.
  void settle(const SettledFrame& frame);

  [[nodiscard]] const OrderBook& book() const { return book_; }
  [[nodiscard]] LiveMode mode() const { return book_.mode(); }
  [[nodiscard]] std::uint64_t pending() const { return book_.pending(); }
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
  [[nodiscard]] std::vector<LearnedReward> rewards_of(const RowDraft& draft,
                                                      const std::vector<OrderNumber>& batches) const;
  [[nodiscard]] OrderTally tally_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;
  void roll_back(RowDraft& draft, LiveTime now);
  void recover(RowDraft& draft, const LiveOpening& opening, LiveTime now);
  void catch_up(RowDraft& draft, const LiveOpening& opening, const RestateFrame* restated, LiveTime now);

  LiveRows& rows_;
  LiveSettings settings_;
  OrderBook book_;
  KeptFigures figures_;
  EventAges unknown_;
  std::optional<OrderEntry> running_;
  std::optional<BeginFrame> concurrent_;
  std::optional<OrderBook::Counts> adopted_;
  Noise lift_noise_;
  bool is_open_ = false;
};

}  // namespace sotto::apps::live
