// The part of the order that the actor, the parties and the rewarder store in the same way: the epoch, the last two
// numbers, and the decided batches. A batch has the ids of its events until the role forgets these ids.
//
// Functions that take a draft change both the draft and the memory. If the commit of the draft fails, a new book must
// be made from the rows.
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

// Stored copies of the model. A copy is made at a number of the order, so all parties copy the same model.

inline constexpr std::size_t most_snapshots = 5;  // the most copies that a role stores

// The description of a copy of the model, which roles exchange.
struct SnapshotName {
  OrderNumber number = 0;  // number at which the copy was made; 0: copy of an imported model
  // The id of the model: the id of the number at which the model was first copied. Zeros if the model is empty.
  bandit::CheckpointId id{};
  std::uint64_t learned = 0;  // number of events that the copy has learned
  bandit::SumBits from{};

  friend bool operator==(const SnapshotName&, const SnapshotName&) = default;
};

struct SnapshotRow {
  SnapshotName name;
  bool imported = false;         // true: an encoded ForeignModel (import/foreign_model.h)
  std::vector<std::byte> model;  // at a party: the party's shares; empty if the model is empty

  friend bool operator==(const SnapshotRow&, const SnapshotRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const SnapshotRow& row);
[[nodiscard]] std::optional<SnapshotRow> decode_snapshot_row(std::span<const std::byte> bytes);

enum class BatchState : std::uint8_t {
  pending = 1,  // decided but not closed
  closed = 2,   // accepts no more activations (at the actor) or rewards (at the rewarder)
  learned = 3,
  never = 4,  // never learned: decided in mode frozen, or dropped by a recovery
};
[[nodiscard]] constexpr bool is_open(BatchState state) {
  return state == BatchState::pending || state == BatchState::closed;
}

struct BatchRow {
  OrderNumber number = 1;  // number of the decide
  LiveTime at = 0;         // time at which the role wrote the row
  BatchState state = BatchState::pending;
  std::vector<EventId> events;

  friend bool operator==(const BatchRow&, const BatchRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const BatchRow& row);
[[nodiscard]] std::optional<BatchRow> decode_batch_row(std::span<const std::byte> bytes);

struct EpochRow {
  std::uint32_t epoch = 0;
  net::SessionId session{};   // session of the links in that epoch
  OrderNumber settled = 0;    // at the dealer or the helper: the last known settled number
  std::uint64_t dropped = 0;  // decided events that recoveries have dropped, so they are not in the model
  // About the last time that the parties went back to a copy of the model. `gone_back_to`: the copy's number at this
  // role. `gone_back_at`: the number of the recovery. Both members are 0 if the parties never went back to a copy.
  OrderNumber gone_back_to = 0;
  OrderNumber gone_back_at = 0;

  friend bool operator==(const EpochRow&, const EpochRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const EpochRow& row);
[[nodiscard]] std::optional<EpochRow> decode_epoch_row(std::span<const std::byte> bytes);
// Reads the row of the epoch. Returns the default row if the store is empty. Throws InputError if the row is damaged.
[[nodiscard]] EpochRow read_epoch_row(const LiveRows& rows);

// Throws InputError, which says that the row `what` is damaged.
[[noreturn]] void refuse_damaged(const char* what);

class OrderBook {
 public:
  // The part of a batch that is in memory until the batch is learned.
  struct OpenBatch {
    LiveTime at = 0;  // later numbers have later times, even if the clock was set back
    BatchState state = BatchState::pending;
    std::size_t events = 0;
    std::uint64_t through = 0;  // total number of events up to this batch; only differences of such totals are used
  };
  using OpenBatches = std::map<OrderNumber, OpenBatch>;

  // Until the first number is done, the mode is settings.mode. `recovery_request` is the request for a recovery that
  // the role was started with. The book removes the parts of the request that are already done or not needed. Throws
  // InputError if rows are damaged, or if `recovery_request` names a copy of the model that is missing.
  OrderBook(const LiveRows& rows, const LiveSettings& settings, const RecoveryRequest& recovery_request = {});

  [[nodiscard]] const EpochRow& epoch() const noexcept { return epoch_; }
  [[nodiscard]] const ChainRow& last() const noexcept { return chain_.back(); }
  [[nodiscard]] LiveMode mode() const noexcept { return last().mode; }
  [[nodiscard]] LiveHistory history() const;
  // The recovery of the last number. Returns nothing if the last number is not a recovery.
  [[nodiscard]] std::optional<OrderRecovery> recovered() const;
  [[nodiscard]] const RecoveryRequest& recovery_request() const noexcept { return recovery_request_; }
  // Copies of the model, in ascending order of their numbers.
  [[nodiscard]] const std::vector<SnapshotName>& snapshots() const noexcept { return snapshots_; }
  // Returns the row of the number, or null if the number is not in the chain.
  [[nodiscard]] const ChainRow* find(OrderNumber number) const;
  [[nodiscard]] const OpenBatches& open_batches() const noexcept { return open_; }
  // Whether the model can learn this many more events without exceeding settings.most_learned.
  [[nodiscard]] bool has_room_for(std::size_t events) const noexcept {
    return last().learned <= most_learned_ && events <= most_learned_ - last().learned;
  }
  // most_learned(): the most events that the service may learn. learning_has_ended(): true if no further event will be
  // learned, because so many are learned already or the next batch is too large.
  [[nodiscard]] std::uint64_t most_learned() const noexcept { return most_learned_; }
  [[nodiscard]] bool learning_has_ended() const;
  // Whether activations and rewards of the decide `number` can still change what is learned.
  [[nodiscard]] bool takes_input(OrderNumber number) const;
  // is_learned(): whether the batch is learned. is_never_learned(): whether the batch will never be learned. Both
  // functions return false while the batch may still be learned.
  [[nodiscard]] bool is_learned(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] bool is_never_learned(const RowDraft& draft, OrderNumber number) const;
  // opens_agreement(): whether the next secret decide shows the sum of a window to the actor. fills_window(): whether
  // the entry, if it is done next, fills a window.
  [[nodiscard]] bool opens_agreement() const noexcept { return last().agreement.is_full; }
  [[nodiscard]] bool fills_window(const OrderEntry& entry) const;
  // The most rows of one subject in a window.
  [[nodiscard]] std::uint64_t window_rows() const noexcept { return agreement_.rows_per_subject; }
  // Number of events in open batches.
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }
  // The row of the batch. Throws std::logic_error if the batch does not exist.
  [[nodiscard]] BatchRow batch(const RowDraft& draft, OrderNumber number) const;
  // The events of all batches of a learn, in order.
  [[nodiscard]] std::vector<EventId> events_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;

  // Says why the entry cannot be done next; empty if the entry is valid. `has_ids`: the entry must contain the id of
  // the last number.
  [[nodiscard]] std::string fault_of(const OrderEntry& entry, bool has_ids) const;

  // Says why the learn cannot begin now; empty if the learn can begin.
  [[nodiscard]] std::string fault_of(const BeginFrame& begin) const;

  void write_epoch(RowDraft& draft, const EpochRow& row);
  // Adds the next number to the chain, which also keeps the two numbers before it. The entry determines the mode.
  // `compared` has this role's data about a secret decide. row.tally has the counts of this number only; append()
  // itself counts decides and learns.
  void append(RowDraft& draft, ChainRow row, Compared compared = {});
  // Adds the batch of a decide. `at` is the time of the role's clock. A batch that is decided in mode frozen is never
  // learned.
  void add_batch(RowDraft& draft, const OrderEntry& entry, LiveTime at);
  // Closes the batches, so that activations and rewards of their events are no longer accepted.
  void close(RowDraft& draft, const std::vector<OrderNumber>& batches);
  // Call when the last number is settled. If the last number is a learn, the learn's batches become learned, and the
  // function returns these batches.
  std::vector<OrderNumber> settle_last(RowDraft& draft);
  // Undoes the last number. Returns the number's row and, for a decide, the decide's events. Throws std::logic_error at
  // number 0.
  struct RolledBack {
    ChainRow row;
    std::vector<EventId> events;
  };
  RolledBack roll_back(RowDraft& draft);
  // Makes the opening's recovery the last number and removes all earlier numbers from the chain. Roll back numbers
  // above recovery.told before this call. `has_id` is true for every role except the rewarder. `of_lost` is set for a
  // lost store, and has the counts and the fraction bits that the parties know.
  struct Counts {
    std::uint64_t decided = 0;
    std::uint64_t learned = 0;
    OrderNumber model = 0;
    bandit::SumBits from{};  // the fraction bits of that model
  };
  void recover(RowDraft& draft, const LiveOpening& opening, bool has_id, const std::optional<Counts>& of_lost);
  // Marks all batches that are not learned yet, so that they are never learned. Returns these batches.
  std::vector<OrderNumber> drop_batches(RowDraft& draft);
  // Adds a batch that a party still knows. With `drops`, an open batch is marked as never learned.
  void adopt(RowDraft& draft, const KnownBatch& batch, bool drops = false);
  // Adds a copy of the model; at a party, the copy contains the party's shares. If there are more than most_snapshots
  // copies, the oldest copy is deleted.
  void put_snapshot(RowDraft& draft, const SnapshotRow& row);
  // Handles a clock that was set back to `now`. Open batches with later times get the time `now`, so that later batches
  // never have earlier times. Returns by how many ms the clock was ahead when the last batch was decided.
  LiveTime turn_back(LiveTime now);
  // Erases the ids of learned batches that are older than `remember`, for at most `most` batches in a call. `number_in`
  // reads the number of an event's decide from the event's row. If an event was decided again, its id is stored as long
  // as the ids of the later batch. A batch whose time is in the future, because the clock was ahead, gets the time
  // `now`. At most `most` rows of such batches are rewritten in a call.
  using NumberIn = OrderNumber (*)(const LiveRow& event);
  void forget(RowDraft& draft, const LiveRows& rows, LiveTime now, std::uint64_t remember, NumberIn number_in,
              std::size_t most = 64);
  // Whether the next call of forget() has more ids to erase.
  [[nodiscard]] bool forgets_more() const noexcept { return forgets_more_; }

 private:
  [[nodiscard]] std::string fault_of_learn(const std::vector<OrderNumber>& batches, const ProgramShape& shape) const;
  // How many events may still be learned, including events of open batches.
  [[nodiscard]] std::uint64_t room() const;
  [[nodiscard]] bool has_just_learned(OrderNumber number) const;
  [[nodiscard]] bool fits(OpenBatches::const_iterator batch) const;
  [[nodiscard]] std::vector<BatchRow> find_old(const LiveRows& rows, LiveTime now, std::uint64_t remember,
                                               std::size_t most);
  void open_batch(OrderNumber number, LiveTime at, BatchState state, std::size_t events);
  void set_state(RowDraft& draft, OrderNumber number, BatchState state);
  void take_recovery_request(const RecoveryRequest& recovery_request);

  std::uint64_t most_learned_;
  AgreementTerms agreement_;
  EpochRow epoch_;
  std::vector<ChainRow> chain_;  // one row at first and after a recovery, later two or three
  OpenBatches open_;
  std::uint64_t pending_ = 0;
  bool forgets_more_ = false;
  std::vector<OrderNumber> ahead_;  // batches with times in the future that forget() has found
  std::vector<SnapshotName> snapshots_;
  RecoveryRequest recovery_request_;
};

// A role's answer to its own organisation about an event.

struct EventView {
  // The actor: "queued", "running", "decided", "baseline", "lost" (the event is decided, but its arm is lost). A party:
  // "waiting" (the party has the event's features), "used". The rewarder: "unknown" (the rewarder has a reward, but no
  // decide with the event), "decided", "closed" (the event accepts no more rewards).
  std::string state;
  LiveTime at = 0;                     // when the role last wrote the row; 0: the event is only in memory
  OrderNumber number = 0;              // number of the event's decide; 0: not decided
  bool learned = false;                // whether the event's batch is learned
  std::optional<bool> active{};        // at the actor: whether the event is active
  std::optional<std::uint16_t> arm{};  // at the actor: the arm that callers may receive
  std::optional<double> reward{};      // at the rewarder: the reward that would be learned

  friend bool operator==(const EventView&, const EventView&) = default;
};

}  // namespace sotto::apps::live
