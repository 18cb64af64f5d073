// The part of the order that actor, parties and rewarder keep alike: the epoch, the last two numbers, and the batches
// that were decided. A batch has the ids of its events as long as they are known.
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

// Copies of the model that stay. They are made at a number that all parties do, so all copies are of one model.

inline constexpr std::size_t most_snapshots = 5;  // that a role keeps

// The description of a copy, as roles exchange it.
struct SnapshotName {
  OrderNumber number = 0;  // at which the copy was made; 0: the copy is of the service that this one began from
  // The id of the model, from the number at which it was first copied. Zeros: the model is empty.
  bandit::CheckpointId id{};
  std::uint64_t learned = 0;  // events in it
  bandit::SumBits from{};

  friend bool operator==(const SnapshotName&, const SnapshotName&) = default;
};

struct SnapshotRow {
  SnapshotName name;
  bool imported = false;         // from another service, in its layout (import/foreign_model.h)
  std::vector<std::byte> model;  // a party: its shares; empty: the model is empty

  friend bool operator==(const SnapshotRow&, const SnapshotRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const SnapshotRow& row);
[[nodiscard]] std::optional<SnapshotRow> decode_snapshot_row(std::span<const std::byte> bytes);

enum class BatchState : std::uint8_t {
  pending = 1,  // decided
  closed = 2,   // takes no more activations (actor) or rewards (rewarder)
  learned = 3,
  never = 4,  // never learned: decided while the mode was frozen, or dropped by a recovery
};
[[nodiscard]] constexpr bool is_open(BatchState state) {
  return state == BatchState::pending || state == BatchState::closed;
}

struct BatchRow {
  OrderNumber number = 1;  // of the decide
  LiveTime at = 0;         // when the role wrote it
  BatchState state = BatchState::pending;
  std::vector<EventId> events;

  friend bool operator==(const BatchRow&, const BatchRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const BatchRow& row);
[[nodiscard]] std::optional<BatchRow> decode_batch_row(std::span<const std::byte> bytes);

struct EpochRow {
  std::uint32_t epoch = 0;
  net::SessionId session{};   // of its links
  OrderNumber settled = 0;    // at the dealer
  std::uint64_t dropped = 0;  // events that recoveries have dropped: they were decided, and are not in the model
  // The last time that the parties went back to a copy of the model: the copy, by its number here, and the number of
  // the recovery. 0: never.
  OrderNumber gone_back_to = 0;
  OrderNumber gone_back_at = 0;

  friend bool operator==(const EpochRow&, const EpochRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const EpochRow& row);
[[nodiscard]] std::optional<EpochRow> decode_epoch_row(std::span<const std::byte> bytes);
// The row of the epoch, the default row for an empty store. Throws InputError if the row is damaged.
[[nodiscard]] EpochRow read_epoch_row(const LiveRows& rows);

// Throws InputError for a row that does not decode.
[[noreturn]] void refuse_damaged(const char* what);

class OrderBook {
 public:
  // The part of a batch that is in memory until the batch is learned.
  struct OpenBatch {
    LiveTime at = 0;  // ascending with the numbers, even if the clock went back
    BatchState state = BatchState::pending;
    std::size_t events = 0;
    std::uint64_t through = 0;  // events of the open batches up to this one, and of some that are no longer open
  };
  using OpenBatches = std::map<OrderNumber, OpenBatch>;

  // settings.mode is in force while no number has been done. `wish`: the recovery that the role was started with,
  // without the parts that it has done before or need not do. Throws InputError if rows are damaged, or if the copy of
  // the model that the role is to go back to is missing.
  OrderBook(const LiveRows& rows, const LiveSettings& settings, const LiveWish& wish = {});

  [[nodiscard]] const EpochRow& epoch() const noexcept { return epoch_; }
  [[nodiscard]] const ChainRow& last() const noexcept { return chain_.back(); }
  [[nodiscard]] LiveMode mode() const noexcept { return last().mode; }
  [[nodiscard]] LiveStanding standing() const;
  // The recovery, if the last number is one.
  [[nodiscard]] std::optional<OrderRecovery> recovered() const;
  [[nodiscard]] const LiveWish& wish() const noexcept { return wish_; }
  // Copies of the model, ascending.
  [[nodiscard]] const std::vector<SnapshotName>& snapshots() const noexcept { return snapshots_; }
  // The number's row, if the number is one of the last.
  [[nodiscard]] const ChainRow* find(OrderNumber number) const;
  [[nodiscard]] const OpenBatches& open_batches() const noexcept { return open_; }
  // Whether a learn of so many more events keeps within settings.most_learned.
  [[nodiscard]] bool has_room_for(std::size_t events) const noexcept {
    return last().learned <= most_learned_ && events <= most_learned_ - last().learned;
  }
  // The most events that the service learns. Learning has ended if no event that is decided from now on will be
  // learned: that many events are learned, or the next batch is larger than the room that is left.
  [[nodiscard]] std::uint64_t most_learned() const noexcept { return most_learned_; }
  [[nodiscard]] bool learning_has_ended() const;
  // Whether the batch of a decide's number takes activations and rewards, which will be learned.
  [[nodiscard]] bool takes_input(OrderNumber number) const;
  // Whether the batch is learned, and whether it never will be. Both are false while it may still be learned.
  [[nodiscard]] bool is_learned(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] bool is_never_learned(const RowDraft& draft, OrderNumber number) const;
  // Whether the next secret decide shows the actor the sum of a window. Whether the entry, as the next one, fills a
  // window.
  [[nodiscard]] bool opens_agreement() const noexcept { return last().agreement.is_full; }
  [[nodiscard]] bool fills_window(const OrderEntry& entry) const;
  // The most rows of a subject that a window takes.
  [[nodiscard]] std::uint64_t window_rows() const noexcept { return agreement_.rows_per_subject; }
  // Events of open batches.
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }
  // Throws std::logic_error if the batch is not there.
  [[nodiscard]] BatchRow batch(const RowDraft& draft, OrderNumber number) const;
  // Events of the batches of a learn, in order.
  [[nodiscard]] std::vector<EventId> events_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;

  // The reason why the entry cannot be the next one; empty if it can. `has_ids`: the entry must name the id of the last
  // number.
  [[nodiscard]] std::string fault_of(const OrderEntry& entry, bool has_ids) const;

  // The reason why the learn cannot begin now, next to the coming numbers; empty if it can.
  [[nodiscard]] std::string fault_of(const BeginFrame& begin) const;

  void write_epoch(RowDraft& draft, const EpochRow& row);
  // Adds the next number; two earlier numbers are kept as well. The mode follows from the entry. `compared`: what only
  // this role knows of a secret decide. row.tally: what this number adds at this role, without the kinds, which are
  // counted here.
  void append(RowDraft& draft, ChainRow row, Compared compared = {});
  // Adds the batch of a decide; `at` by the role's clock. A batch that is decided while the mode is frozen is never
  // learned.
  void add_batch(RowDraft& draft, const OrderEntry& entry, LiveTime at);
  // The batches take no more activations or rewards.
  void close(RowDraft& draft, const std::vector<OrderNumber>& batches);
  // The last number stays: if it is a learn, its batches are learned. Returns these batches.
  std::vector<OrderNumber> settle_last(RowDraft& draft);
  // Undoes the last number; std::logic_error at number 0. Returns its row, and for a decide its events.
  struct RolledBack {
    ChainRow row;
    std::vector<EventId> events;
  };
  RolledBack roll_back(RowDraft& draft);
  // The opening's recovery becomes the last number, in place of all numbers before. Numbers above recovery.told must
  // have been rolled back. `has_id`: true for every role except the rewarder. `of_lost`: for a lost store, the counts
  // and the bits of the model as the parties know them.
  struct Counts {
    std::uint64_t decided = 0;
    std::uint64_t learned = 0;
    OrderNumber model = 0;
    bandit::SumBits from{};  // of that model
  };
  void recover(RowDraft& draft, const LiveOpening& opening, bool has_id, const std::optional<Counts>& of_lost);
  // Batches that are not learned yet will never be learned. Returns these batches.
  std::vector<OrderNumber> drop_batches(RowDraft& draft);
  // Adds a batch that a party still knows. `drops`: the batch will never be learned if it is open.
  void adopt(RowDraft& draft, const KnownBatch& batch, bool drops = false);
  // Adds a copy of the model, at a party with its shares. Beyond most_snapshots the oldest copy is deleted.
  void put_snapshot(RowDraft& draft, const SnapshotRow& row);
  // The clock says `now`: open batches with later times get the time `now`, so that times still ascend. Returns by how
  // many ms the clock was ahead when the last batch was decided.
  LiveTime turn_back(LiveTime now);
  // Forgets the ids of learned batches that are older than `remember`, of at most `most` batches. `number_in`: the
  // number that an event is in, by its row. An event that was decided again stays with its later batch. Batches of a
  // clock that was ahead count from now on; they are written again, `most` of them at a time.
  using NumberIn = OrderNumber (*)(const LiveRow& event);
  void forget(RowDraft& draft, const LiveRows& rows, LiveTime now, std::uint64_t remember, NumberIn number_in,
              std::size_t most = 64);
  // Whether the last forget() has left some for the next call.
  [[nodiscard]] bool forgets_more() const noexcept { return forgets_more_; }

 private:
  [[nodiscard]] std::string fault_of_learn(const std::vector<OrderNumber>& batches, const ProgramShape& shape) const;
  // Events that may still be learned, including those of open batches.
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
  std::vector<ChainRow> chain_;  // one row at the beginning and after a recovery, then two or three
  OpenBatches open_;
  std::uint64_t pending_ = 0;
  bool forgets_more_ = false;
  std::vector<OrderNumber> ahead_;  // batches of a clock that was ahead, as forget() has found them
  std::vector<SnapshotName> snapshots_;
  LiveWish wish_;
};

// The answer of a role to its own organisation about an event that it knows.

struct EventView {
  // The actor: "queued", "running", "decided", "baseline", "lost" (decided, and its arm is lost). A party: "waiting"
  // (its features are here), "used". The rewarder: "unknown" (a reward is here, its number is not), "decided", "closed"
  // (takes no more rewards).
  std::string state;
  LiveTime at = 0;                     // when it was last written here; 0: it is only in memory
  OrderNumber number = 0;              // of its decide; 0: none
  bool learned = false;                // its batch is learned
  std::optional<bool> active{};        // the actor
  std::optional<std::uint16_t> arm{};  // the actor: the arm that callers may receive
  std::optional<double> reward{};      // the rewarder: as it would be learned

  friend bool operator==(const EventView&, const EventView&) = default;
};

}  // namespace sotto::apps::live
