// The part of the order that actor, parties and rewarder keep in the same way: the epoch, the last two numbers, and the
// batches that were decided. A batch has the ids of its events as long as the ids are known.
//
// Functions that take a draft change both the draft and the memory. If the draft could not be committed, a new book
// must be made from the rows.
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

// Copies of the model that are kept. A copy is made at a number that all parties do, so all parties copy the same
// model.

inline constexpr std::size_t most_snapshots = 5;  // the most copies that a role keeps

// The description of a copy, as roles exchange it.
struct SnapshotName {
  OrderNumber number = 0;  // number at which the copy was made; 0: it is of the service from which this one began
  // The id of the model, from the number at which it was first copied. Zeros if the model is empty.
  bandit::CheckpointId id{};
  std::uint64_t learned = 0;  // number of events that the copy has learned
  bandit::SumBits from{};

  friend bool operator==(const SnapshotName&, const SnapshotName&) = default;
};

struct SnapshotRow {
  SnapshotName name;
  bool imported = false;         // true: from another service, in its layout (import/foreign_model.h)
  std::vector<std::byte> model;  // at a party: its shares; empty if the model is empty

  friend bool operator==(const SnapshotRow&, const SnapshotRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const SnapshotRow& row);
[[nodiscard]] std::optional<SnapshotRow> decode_snapshot_row(std::span<const std::byte> bytes);

enum class BatchState : std::uint8_t {
  pending = 1,  // decided, and not closed
  closed = 2,   // takes no more activations (at the actor) or rewards (at the rewarder)
  learned = 3,
  never = 4,  // will never be learned: decided while the mode was frozen, or dropped by a recovery
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
  OrderNumber settled = 0;    // at dealer or helper: the last settled number that it knows
  std::uint64_t dropped = 0;  // events that recoveries have dropped: they were decided, and are not in the model
  // Set when the parties last went back to a copy of the model. `gone_back_to`: the number under which this role has
  // the copy. `gone_back_at`: the number of the recovery. 0: never.
  OrderNumber gone_back_to = 0;
  OrderNumber gone_back_at = 0;

  friend bool operator==(const EpochRow&, const EpochRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const EpochRow& row);
[[nodiscard]] std::optional<EpochRow> decode_epoch_row(std::span<const std::byte> bytes);
// The row of the epoch. An empty store gives the default row. Throws InputError if the row is damaged.
[[nodiscard]] EpochRow read_epoch_row(const LiveRows& rows);

// Throws InputError: the row `what` does not decode.
[[noreturn]] void refuse_damaged(const char* what);

class OrderBook {
 public:
  // The part of a batch that is in memory until the batch is learned.
  struct OpenBatch {
    LiveTime at = 0;  // times ascend with the numbers, even if the clock went back
    BatchState state = BatchState::pending;
    std::size_t events = 0;
    std::uint64_t through = 0;  // events of the open batches up to this one, and of some no longer open
  };
  using OpenBatches = std::map<OrderNumber, OpenBatch>;

  // settings.mode is in force while no number has been done. `wish` is the recovery that the role was started with; the
  // book leaves out parts that it has done before or need not do. Throws InputError if rows are damaged, or if the copy
  // of the model that the role is to go back to is missing.
  OrderBook(const LiveRows& rows, const LiveSettings& settings, const LiveWish& wish = {});

  [[nodiscard]] const EpochRow& epoch() const noexcept { return epoch_; }
  [[nodiscard]] const ChainRow& last() const noexcept { return chain_.back(); }
  [[nodiscard]] LiveMode mode() const noexcept { return last().mode; }
  [[nodiscard]] LiveStanding standing() const;
  // The recovery, if the last number is one.
  [[nodiscard]] std::optional<OrderRecovery> recovered() const;
  [[nodiscard]] const LiveWish& wish() const noexcept { return wish_; }
  // Copies of the model, in ascending order of their numbers.
  [[nodiscard]] const std::vector<SnapshotName>& snapshots() const noexcept { return snapshots_; }
  // The row of the number, if the number is still in the chain; else null.
  [[nodiscard]] const ChainRow* find(OrderNumber number) const;
  [[nodiscard]] const OpenBatches& open_batches() const noexcept { return open_; }
  // Whether the model can learn this many more events without exceeding settings.most_learned.
  [[nodiscard]] bool has_room_for(std::size_t events) const noexcept {
    return last().learned <= most_learned_ && events <= most_learned_ - last().learned;
  }
  // The most events that the service learns. learning_has_ended(): no event that is decided from now on will be
  // learned. Either that many events are learned, or the next batch is larger than the room that is left.
  [[nodiscard]] std::uint64_t most_learned() const noexcept { return most_learned_; }
  [[nodiscard]] bool learning_has_ended() const;
  // Whether the batch of a decide's number still takes activations and rewards that will be learned.
  [[nodiscard]] bool takes_input(OrderNumber number) const;
  // is_learned(): whether the batch is learned. is_never_learned(): whether it never will be. Both are false while it
  // may still be learned.
  [[nodiscard]] bool is_learned(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] bool is_never_learned(const RowDraft& draft, OrderNumber number) const;
  // opens_agreement(): whether the next secret decide shows the actor the sum of a window. fills_window(): whether the
  // entry, as the next one, fills a window.
  [[nodiscard]] bool opens_agreement() const noexcept { return last().agreement.is_full; }
  [[nodiscard]] bool fills_window(const OrderEntry& entry) const;
  // The most rows of a subject that a window takes.
  [[nodiscard]] std::uint64_t window_rows() const noexcept { return agreement_.rows_per_subject; }
  // Number of events in open batches.
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }
  // The row of the batch. Throws std::logic_error if it does not exist.
  [[nodiscard]] BatchRow batch(const RowDraft& draft, OrderNumber number) const;
  // The events of all batches of a learn, in order.
  [[nodiscard]] std::vector<EventId> events_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;

  // The reason why the entry cannot be the next one; empty if it can. `has_ids`: the entry must name the id of the last
  // number.
  [[nodiscard]] std::string fault_of(const OrderEntry& entry, bool has_ids) const;

  // The reason why the learn cannot begin now, next to the numbers that come; empty if it can.
  [[nodiscard]] std::string fault_of(const BeginFrame& begin) const;

  void write_epoch(RowDraft& draft, const EpochRow& row);
  // Adds the next number; two earlier numbers are kept as well. The mode follows from the entry. `compared` is what
  // only this role knows about a secret decide. row.tally is what this number adds at this role, without the kinds of
  // numbers, which are counted here.
  void append(RowDraft& draft, ChainRow row, Compared compared = {});
  // Adds the batch of a decide. `at` is the time of the role's clock. A batch that is decided while the mode is frozen
  // is never learned.
  void add_batch(RowDraft& draft, const OrderEntry& entry, LiveTime at);
  // Closes the batches: they take no more activations or rewards.
  void close(RowDraft& draft, const std::vector<OrderNumber>& batches);
  // Call when the last number stays. If it is a learn, its batches are now learned; returns these batches.
  std::vector<OrderNumber> settle_last(RowDraft& draft);
  // Undoes the last number; throws std::logic_error at number 0. Returns the number's row, and for a decide its events.
  struct RolledBack {
    ChainRow row;
    std::vector<EventId> events;
  };
  RolledBack roll_back(RowDraft& draft);
  // Makes the opening's recovery the last number, in place of all earlier numbers. Numbers above recovery.told must
  // have been rolled back before. `has_id` is true for every role except the rewarder. `of_lost` is for a lost store:
  // the counts and the bits of the model as the parties know them.
  struct Counts {
    std::uint64_t decided = 0;
    std::uint64_t learned = 0;
    OrderNumber model = 0;
    bandit::SumBits from{};  // the bits of that model
  };
  void recover(RowDraft& draft, const LiveOpening& opening, bool has_id, const std::optional<Counts>& of_lost);
  // Marks all batches that are not learned yet as never to be learned. Returns these batches.
  std::vector<OrderNumber> drop_batches(RowDraft& draft);
  // Adds a batch that a party still knows. With `drops`, a batch that is open will never be learned.
  void adopt(RowDraft& draft, const KnownBatch& batch, bool drops = false);
  // Adds a copy of the model; at a party it contains the party's shares. Beyond most_snapshots the oldest copy is
  // deleted.
  void put_snapshot(RowDraft& draft, const SnapshotRow& row);
  // Takes `now` as the clock's time. Open batches with later times get the time `now`, so that times still ascend.
  // Returns by how many ms the clock was ahead when the last batch was decided.
  LiveTime turn_back(LiveTime now);
  // Forgets the ids of learned batches that are older than `remember`, of at most `most` batches. `number_in` returns
  // the number that an event is in, from the event's row. An event that was decided again stays with its later batch.
  // Batches with times of a clock that was ahead count from now on. Their rows are written again, `most` of them at a
  // time.
  using NumberIn = OrderNumber (*)(const LiveRow& event);
  void forget(RowDraft& draft, const LiveRows& rows, LiveTime now, std::uint64_t remember, NumberIn number_in,
              std::size_t most = 64);
  // Whether the last forget() has left ids for the next call.
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
  void take_wish(const LiveWish& wish);

  std::uint64_t most_learned_;
  AgreementTerms agreement_;
  EpochRow epoch_;
  std::vector<ChainRow> chain_;  // one row at the beginning and after a recovery, later two or three
  OpenBatches open_;
  std::uint64_t pending_ = 0;
  bool forgets_more_ = false;
  std::vector<OrderNumber> ahead_;  // batches with times of a clock that was ahead, as forget() has found them
  std::vector<SnapshotName> snapshots_;
  LiveWish wish_;
};

// A role's answer to its own organisation about an event that the role knows.

struct EventView {
  // The actor: "queued", "running", "decided", "baseline", "lost" (decided, but its arm is lost). A party: "waiting"
  // (the event's features are here), "used". The rewarder: "unknown" (a reward is here, but no number with the event),
  // "decided", "closed" (the event takes no more rewards).
  std::string state;
  LiveTime at = 0;                     // when the row was last written here; 0: the event is only in memory
  OrderNumber number = 0;              // number of the event's decide; 0: none
  bool learned = false;                // whether the event's batch is learned
  std::optional<bool> active{};        // at the actor: whether the event is active
  std::optional<std::uint16_t> arm{};  // at the actor: the arm that callers may receive
  std::optional<double> reward{};      // at the rewarder: the reward as it would be learned

  friend bool operator==(const EventView&, const EventView&) = default;
};

}  // namespace sotto::apps::live
