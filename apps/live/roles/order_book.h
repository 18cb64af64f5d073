// What actor, parties and rewarder keep alike of the order: the epoch, the last two numbers, and the batches that were
// decided, with the ids of their events as long as they are known.
//
// Functions that take a draft change both it and what is in memory. Whoever could not commit the draft makes a new book
// from the rows.
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

// Copies of the model that stay: made at a number that all parties do, so that theirs are of one model.

inline constexpr std::size_t most_snapshots = 5;  // that a role keeps

// What roles say of a copy.
struct SnapshotName {
  OrderNumber number = 0;  // at which it was made; 0: of the service that this one began from
  // Of the model: of the number at which it was copied first. Zeros: the model is empty.
  bandit::CheckpointId id{};
  std::uint64_t learned = 0;  // events in it
  bandit::SumBits from{};

  friend bool operator==(const SnapshotName&, const SnapshotName&) = default;
};

struct SnapshotRow {
  SnapshotName name;
  bool imported = false;         // of another service, in its layout (import/foreign_model.h)
  std::vector<std::byte> model;  // a party: its shares; empty: the model is

  friend bool operator==(const SnapshotRow&, const SnapshotRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const SnapshotRow& row);
[[nodiscard]] std::optional<SnapshotRow> decode_snapshot_row(std::span<const std::byte> bytes);

enum class BatchState : std::uint8_t {
  pending = 1,  // decided
  closed = 2,   // takes no activation (actor), no reward (rewarder) any more
  learned = 3,
  never = 4,  // is never learned: it was decided while the mode was frozen, or a recovery has dropped it
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
  OrderNumber settled = 0;    // the dealer
  std::uint64_t dropped = 0;  // events that recoveries have dropped: decided, and not in the model
  // The last time that the parties went back to a copy of the model: which one, by its number here, and the number of
  // the recovery; 0: never.
  OrderNumber gone_back_to = 0;
  OrderNumber gone_back_at = 0;

  friend bool operator==(const EpochRow&, const EpochRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const EpochRow& row);
[[nodiscard]] std::optional<EpochRow> decode_epoch_row(std::span<const std::byte> bytes);
// The default one of an empty store. Throws InputError where the row is damaged.
[[nodiscard]] EpochRow read_epoch_row(const LiveRows& rows);

// A row that does not decode. InputError.
[[noreturn]] void refuse_damaged(const char* what);

class OrderBook {
 public:
  // What is in memory of a batch that is not learned.
  struct OpenBatch {
    LiveTime at = 0;  // ascending with the numbers, also where the clock went back
    BatchState state = BatchState::pending;
    std::size_t events = 0;
    std::uint64_t through = 0;  // events of the open batches up to it, and of some that are open no more
  };
  using OpenBatches = std::map<OrderNumber, OpenBatch>;

  // settings.mode is in force while nothing has been done. `wish`: what the role was started with; what it has done
  // before, or need not do, is left out. Throws InputError where rows are damaged, or there is no copy of the model
  // that it is to go back to.
  OrderBook(const LiveRows& rows, const LiveSettings& settings, const LiveWish& wish = {});

  [[nodiscard]] const EpochRow& epoch() const noexcept { return epoch_; }
  [[nodiscard]] const ChainRow& last() const noexcept { return chain_.back(); }
  [[nodiscard]] LiveMode mode() const noexcept { return last().mode; }
  [[nodiscard]] LiveStanding standing() const;
  // Of the last number, if it is one.
  [[nodiscard]] std::optional<OrderRecovery> recovered() const;
  [[nodiscard]] const LiveWish& wish() const noexcept { return wish_; }
  // Copies of the model, ascending.
  [[nodiscard]] const std::vector<SnapshotName>& snapshots() const noexcept { return snapshots_; }
  // The number's row, if it is one of the last.
  [[nodiscard]] const ChainRow* find(OrderNumber number) const;
  [[nodiscard]] const OpenBatches& open_batches() const noexcept { return open_; }
  // Whether a learn of so many more events keeps within settings.most_learned.
  [[nodiscard]] bool has_room_for(std::size_t events) const noexcept {
    return last().learned <= most_learned_ && events <= most_learned_ - last().learned;
  }
  // The most events that the service learns; and whether it will learn none of those that are decided from now on,
  // since that many are learned, or the batch that comes next is larger than what is left.
  [[nodiscard]] std::uint64_t most_learned() const noexcept { return most_learned_; }
  [[nodiscard]] bool learning_has_ended() const;
  // Of a number of a decide: its batch is open to activations and rewards, which will be learned.
  [[nodiscard]] bool takes_input(OrderNumber number) const;
  // Its batch is learned; it never will be. Neither while it may be.
  [[nodiscard]] bool is_learned(const RowDraft& draft, OrderNumber number) const;
  [[nodiscard]] bool is_never_learned(const RowDraft& draft, OrderNumber number) const;
  // Whether the next secret decide shows the actor the sum of a window; whether the entry, the next one, fills one.
  [[nodiscard]] bool opens_agreement() const noexcept { return last().agreement.is_full; }
  [[nodiscard]] bool fills_window(const OrderEntry& entry) const;
  // Rows of a subject that a window takes.
  [[nodiscard]] std::uint64_t window_rows() const noexcept { return agreement_.rows_per_subject; }
  // Events of open batches.
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }
  // std::logic_error if it is not there.
  [[nodiscard]] BatchRow batch(const RowDraft& draft, OrderNumber number) const;
  // Events of the batches of a learn, in order.
  [[nodiscard]] std::vector<EventId> events_of(const RowDraft& draft, const std::vector<OrderNumber>& batches) const;

  // Why the entry cannot be the next one; empty if it can. `has_ids`: it must name the id of the last number.
  [[nodiscard]] std::string fault_of(const OrderEntry& entry, bool has_ids) const;

  // Why the learn cannot begin beside what comes next; empty if it can.
  [[nodiscard]] std::string fault_of(const BeginFrame& begin) const;

  void write_epoch(RowDraft& draft, const EpochRow& row);
  // The next number is done; of those before two more are kept. The mode follows from the entry. `compared`: what this
  // role alone knows of a secret decide. Of row.tally what this number adds at this role; kinds are counted here.
  void append(RowDraft& draft, ChainRow row, Compared compared = {});
  // A decide's batch; `at` by the role's clock. One that is decided while the mode is frozen is never learned.
  void add_batch(RowDraft& draft, const OrderEntry& entry, LiveTime at);
  // No more activations, or rewards.
  void close(RowDraft& draft, const std::vector<OrderNumber>& batches);
  // The last number stays: if it is a learn, its batches are learned. Says which.
  std::vector<OrderNumber> settle_last(RowDraft& draft);
  // The last number is undone; std::logic_error at number 0. Says what it was, and of a decide its events.
  struct RolledBack {
    ChainRow row;
    std::vector<EventId> events;
  };
  RolledBack roll_back(RowDraft& draft);
  // The last number becomes the opening's recovery, in place of all before; what is above the last that was told has
  // been rolled back. `has_id`: every role but the rewarder. Of a lost store the counts, and the bits of the model, are
  // as the parties know them.
  struct Counts {
    std::uint64_t decided = 0;
    std::uint64_t learned = 0;
    OrderNumber model = 0;
    bandit::SumBits from{};  // of that model
  };
  void recover(RowDraft& draft, const LiveOpening& opening, bool has_id, const std::optional<Counts>& of_lost);
  // Of batches that are not learned none is learned any more; says which they were.
  std::vector<OrderNumber> drop_batches(RowDraft& draft);
  // A batch that a party still knows. `drops`: it is not learned any more where it is open.
  void adopt(RowDraft& draft, const KnownBatch& batch, bool drops = false);
  // A copy of the model, at a party with its shares. Of more than most_snapshots the oldest is deleted.
  void put_snapshot(RowDraft& draft, const SnapshotRow& row);
  // By the clock it is `now`: no open batch was decided later, and none later than one after it. Returns by how many ms
  // the clock was ahead when the last one was.
  LiveTime turn_back(LiveTime now);
  // Ids of learned batches that are older than `remember` are forgotten, of at most `most` batches. `number_in`: in
  // which number an event is, by its row. An event that was decided once more stays with its later batch. Batches of a
  // clock that was ahead count from now on; they are written anew, `most` of them at a time.
  using NumberIn = OrderNumber (*)(const LiveRow& event);
  void forget(RowDraft& draft, const LiveRows& rows, LiveTime now, std::uint64_t remember, NumberIn number_in,
              std::size_t most = 64);
  // The last forget() has left some for the next one.
  [[nodiscard]] bool forgets_more() const noexcept { return forgets_more_; }

 private:
  [[nodiscard]] std::string fault_of_learn(const std::vector<OrderNumber>& batches, const ProgramShape& shape) const;
  // Events that may still be learned, those of open batches among them.
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
  std::vector<ChainRow> chain_;  // one at the beginning and after a recovery, then two or three
  OpenBatches open_;
  std::uint64_t pending_ = 0;
  bool forgets_more_ = false;
  std::vector<OrderNumber> ahead_;  // batches that forget() has found to be of a clock that was ahead
  std::vector<SnapshotName> snapshots_;
  LiveWish wish_;
};

// What a role says to its own side of an event that it knows.

struct EventView {
  // The actor: "queued", "running", "decided", "baseline", "lost" (decided, and its arm is lost). A party: "waiting"
  // (its features are here), "used". The rewarder: "unknown" (a reward is here, its number is not), "decided", "closed"
  // (takes no reward any more).
  std::string state;
  LiveTime at = 0;                     // when it was last written down here; 0: it is in memory alone
  OrderNumber number = 0;              // of its decide; 0: none
  bool learned = false;                // its batch is
  std::optional<bool> active{};        // the actor
  std::optional<std::uint16_t> arm{};  // the actor: of what may be told
  std::optional<double> reward{};      // the rewarder: as it would be learned

  friend bool operator==(const EventView&, const EventView&) = default;
};

}  // namespace sotto::apps::live
