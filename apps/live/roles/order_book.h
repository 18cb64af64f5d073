// The part of the order that the actor, the parties and the rewarder store alike: the epoch, the last entries, and the
// decided batches.
//
// Functions with a draft change both the draft and the memory. If the commit of the draft fails, make a new book from
// the rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/live/order/entry.h"
#include "apps/live/order/frames.h"
#include "apps/live/order/opening.h"
#include "apps/live/rows/live_rows.h"
#include "apps/live/settings/live_settings.h"

namespace sotto::apps::live {

// All parties copy the same model, because a snapshot is an entry of the order.

inline constexpr std::size_t most_snapshots = 5;

struct SnapshotName {
  OrderNumber number = 0;  // number of the entry that made the copy; 0: copy of an imported model
  bandit::CheckpointId id{};
  std::uint64_t learned = 0;
  bandit::SumBits from{};

  friend bool operator==(const SnapshotName&, const SnapshotName&) = default;
};

struct SnapshotRow {
  SnapshotName name;
  bool imported = false;         // true: `model` is an encoded ForeignModel (import/foreign_model.h)
  std::vector<std::byte> model;  // at a party: the party's shares; empty if the model is empty

  friend bool operator==(const SnapshotRow&, const SnapshotRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const SnapshotRow& row);
[[nodiscard]] std::optional<SnapshotRow> decode_snapshot_row(std::span<const std::byte> bytes);

enum class BatchState : std::uint8_t {
  pending = 1,
  closed = 2,  // accepts no more activations (at the actor) or rewards (at the rewarder)
  learned = 3,
  never = 4,  // decided in mode frozen, or dropped by a recovery
};
[[nodiscard]] constexpr bool is_open(BatchState state) {
  return state == BatchState::pending || state == BatchState::closed;
}

struct BatchRow {
  OrderNumber number = 1;
  LiveTime at = 0;
  BatchState state = BatchState::pending;
  std::vector<EventId> events;

  friend bool operator==(const BatchRow&, const BatchRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const BatchRow& row);
[[nodiscard]] std::optional<BatchRow> decode_batch_row(std::span<const std::byte> bytes);

struct EpochRow {
  std::uint32_t epoch = 0;
  net::SessionId session{};
  OrderNumber settled = 0;  // at the dealer or the helper: the last known settled number
  std::uint64_t dropped = 0;
  // The number of the copy of the model that the parties last went back to; 0 if never.
  OrderNumber gone_back_to = 0;
  OrderNumber gone_back_at = 0;  // the number of that recovery; 0 if never

  friend bool operator==(const EpochRow&, const EpochRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const EpochRow& row);
[[nodiscard]] std::optional<EpochRow> decode_epoch_row(std::span<const std::byte> bytes);
// Throws InputError if the row is damaged.
[[nodiscard]] EpochRow read_epoch_row(const LiveRows& rows);

[[noreturn]] void refuse_damaged(const char* what);

class OrderBook {
 public:
  struct OpenBatch {
    LiveTime at = 0;  // never earlier than the time of the batch before, even if the clock is set back
    BatchState state = BatchState::pending;
    std::size_t events = 0;
    std::uint64_t through = 0;
  };
  using OpenBatches = std::map<OrderNumber, OpenBatch>;

  // The mode is settings.mode until the first entry is done. Throws InputError if rows are damaged, or if
  // `recovery_request` names a copy of the model that is missing.
  OrderBook(const LiveRows& rows, const LiveSettings& settings, const RecoveryRequest& recovery_request = {});

  [[nodiscard]] const EpochRow& epoch() const noexcept { return epoch_; }
  [[nodiscard]] const ChainRow& last() const noexcept { return chain_.back(); }
  [[nodiscard]] LiveMode mode() const noexcept { return last().mode; }
  [[nodiscard]] LiveHistory history() const;
  [[nodiscard]] std::optional<OrderRecovery> recovered() const;
  [[nodiscard]] const RecoveryRequest& recovery_request() const noexcept { return recovery_request_; }
  [[nodiscard]] const std::vector<SnapshotName>& snapshots() const noexcept { return snapshots_; }
  [[nodiscard]] const ChainRow* find(OrderNumber number) const;
  [[nodiscard]] const OpenBatches& open_batches() const noexcept { return open_; }
  [[nodiscard]] bool has_room_for(std::size_t events) const noexcept {
    return last().learned <= most_learned_ && events <= most_learned_ - last().learned;
  }
  [[nodiscard]] std::uint64_t most_learned() const noexcept { return most_learned_; }
  [[nodiscard]] bool learning_has_ended() const;
  [[nodiscard]] bool takes_input(OrderNumber number) const;
  // Both functions return false while the batch may still be learned.
  [[nodiscard]] bool is_learned(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] bool is_never_learned(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] bool opens_agreement() const noexcept { return last().agreement.is_full; }
  [[nodiscard]] bool fills_window(const OrderEntry& entry) const;
  [[nodiscard]] const LiftTerms& lift_terms() const noexcept { return lift_; }
  [[nodiscard]] bool opens_lift() const noexcept { return last().lift.is_full; }
  // Whether a learn of these batches fills the window of the lift.
  [[nodiscard]] bool fills_lift(const std::vector<OrderNumber>& batches) const;
  [[nodiscard]] std::uint64_t window_rows() const noexcept { return agreement_.rows_per_subject; }
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }
  // Throws std::logic_error if the batch does not exist.
  [[nodiscard]] BatchRow batch(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] std::vector<EventId> events_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;

  // Says why the entry cannot be done next; empty if the entry is valid. If `has_ids` is true, the entry must contain
  // the id of the entry before it.
  [[nodiscard]] std::string fault_of(const OrderEntry& entry, bool has_ids) const;

  [[nodiscard]] std::string fault_of(const BeginFrame& begin) const;

  void write_epoch(RowDraft& draft, const EpochRow& row);
  // `compared` contains this role's data about a secret decide. row.tally must contain only the counts of this entry,
  // not the totals. append() adds the totals of the earlier entries, and counts the entry as a decide or a learn.
  // `lift` contains this role's data about a learn; append() sets its number of events.
  void append(RowDraft& draft, ChainRow row, Compared compared = {}, LiftCounted lift = {});
  void add_batch(RowDraft& draft, const OrderEntry& entry, LiveTime at);
  void close(RowDraft& draft, const std::vector<OrderNumber>& batches);
  std::vector<OrderNumber> settle_last(RowDraft& draft);
  // Undoes the last entry. Throws std::logic_error at number 0.
  struct RolledBack {
    ChainRow row;
    std::vector<EventId> events;
  };
  RolledBack roll_back(RowDraft& draft);
  // Replaces all entries of the chain by the opening's recovery. Roll back entries above recovery.told first. `has_id`
  // is true for every role except the rewarder. If a store is lost, `of_lost` contains the counts that the parties
  // know; if not, it is empty.
  struct Counts {
    std::uint64_t decided = 0;
    std::uint64_t learned = 0;
    OrderNumber model = 0;
    bandit::SumBits from{};
  };
  void recover(RowDraft& draft, const LiveOpening& opening, bool has_id, const std::optional<Counts>& of_lost);
  // Marks all open batches as never learned. Returns the numbers of these batches.
  std::vector<OrderNumber> drop_batches(RowDraft& draft);
  // Adds a batch that a party still knows. If `drops` is true and the batch is open, the batch is marked as never
  // learned.
  void adopt(RowDraft& draft, const KnownBatch& batch, bool drops = false);
  // Deletes the oldest copy if there are more than most_snapshots copies.
  void put_snapshot(RowDraft& draft, const SnapshotRow& row);
  // Call if the clock was set back. Changes the times of open batches that are later than `now` to `now`. Returns the
  // number of ms by which the time of the last open batch was later than `now`, or 0.
  LiveTime turn_back(LiveTime now);
  // Erases the ids of learned batches that are older than `remember`, for at most `most` batches in a call. If an event
  // was decided again in a later batch, the id of the event is erased only with the ids of that batch.
  using NumberIn = OrderNumber (*)(const LiveRow& event);
  void forget(RowDraft& draft, const LiveRows& rows, LiveTime now, std::uint64_t remember, NumberIn number_in,
              std::size_t most = 64);
  [[nodiscard]] bool forgets_more() const noexcept { return forgets_more_; }

 private:
  [[nodiscard]] std::string fault_of_learn(const std::vector<OrderNumber>& batches, const ProgramShape& shape) const;
  [[nodiscard]] std::uint64_t room() const;
  [[nodiscard]] std::uint64_t events_in(const std::vector<OrderNumber>& batches) const;
  [[nodiscard]] bool has_just_learned(OrderNumber number) const;
  [[nodiscard]] bool fits(OpenBatches::const_iterator batch) const;
  [[nodiscard]] std::vector<BatchRow> find_old(const LiveRows& rows, LiveTime now, std::uint64_t remember,
                                               std::size_t most);
  void open_batch(OrderNumber number, LiveTime at, BatchState state, std::size_t events);
  void set_state(RowDraft& draft, OrderNumber number, BatchState state);
  void take_recovery_request(const RecoveryRequest& recovery_request);

  std::uint64_t most_learned_;
  AgreementTerms agreement_;
  LiftTerms lift_;
  EpochRow epoch_;
  std::vector<ChainRow> chain_;
  OpenBatches open_;
  std::uint64_t pending_ = 0;
  bool forgets_more_ = false;
  std::vector<OrderNumber> ahead_;
  std::vector<SnapshotName> snapshots_;
  RecoveryRequest recovery_request_;
};

struct EventView {
  // At the actor: "queued", "running", "decided", "baseline", or "lost" (the event is decided, but its arm is lost). At
  // a party: "waiting" (the party has the event's features) or "used". At the rewarder: "unknown" (the rewarder has a
  // reward, but no decide with the event), "decided", or "closed" (the event accepts no more rewards).
  std::string state;
  LiveTime at = 0;  // when the role last wrote the row; 0: the event is only in memory
  OrderNumber number = 0;
  bool learned = false;
  std::optional<bool> active{};
  std::optional<std::uint16_t> arm{};
  std::optional<double> reward{};

  friend bool operator==(const EventView&, const EventView&) = default;
};

}  // namespace sotto::apps::live
