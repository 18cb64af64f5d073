// The rows that a role of the decision service stores on its disk.
//
// A row is on the disk before the role sends anything that depends on this row. Each function of a role makes one
// draft, commits the draft, and then returns what the role may send. If commit() fails, the role is made again from the
// rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/entry.h"

namespace sotto::apps::live {

// Stores contain these numbers, so the numbers must not change.
enum class LiveTable : std::uint8_t {
  epoch = 1,    // 0 -> EpochRow
  chain = 2,    // number -> ChainRow, at most the last three
  batches = 3,  // number of a decide -> the events whose ids are known
  events = 4,
  features = 5,   // at a party: event id -> features that no decide has used yet
  used = 6,       // at a party: number of a decide -> features of the events
  models = 7,     // at a party: number of a learn or a recovery -> shares of the model
  snapshots = 8,  // at a party and at the actor: number of a snapshot -> SnapshotRow
  figures = 9,    // 0 -> CallFigures; at a party also: 1 -> the ranges of its columns, 2 -> totals (SubjectCounts);
                  // 3 -> HistoryPoints (FigureHistory)
  asked = 10,     // at the actor: event id -> a stored call without an answer (AskedRow)
  subjects = 11,  // at a party: 1, 2, ... -> the subjects of a decide (SubjectCounts)
  window = 12,    // at parties and actor: number of a secret decide -> its subjects; 0 -> the window (WindowSubjects)
  subject_pages = 13,  // at a party: 0 to 255 -> counts of subjects by the first byte of their hash
  archive = 14,        // at a party: number of a decide -> ArchiveRow
  lift_window = 15,    // at a party: number of a learn -> its counted subjects; 0 -> the window (WindowSubjects)
};
inline constexpr LiveTable last_live_table = LiveTable::lift_window;

struct RowKey {
  LiveTable table = LiveTable::epoch;
  std::array<std::byte, 16> key{};  // an event id, or a number with its highest byte first

  friend bool operator==(const RowKey&, const RowKey&) = default;
  friend bool operator<(const RowKey& a, const RowKey& b) {
    return a.table != b.table ? a.table < b.table : a.key < b.key;
  }
};

[[nodiscard]] RowKey key_of(LiveTable table, const EventId& event);
[[nodiscard]] RowKey key_of(LiveTable table, OrderNumber number);
[[nodiscard]] OrderNumber number_of(const RowKey& key);

using LiveRow = std::vector<std::byte>;
using RowChanges = std::map<RowKey, std::optional<LiveRow>>;

[[nodiscard]] std::vector<std::byte> encode(const RowChanges& changes);
// encode() of the result gives the same bytes.
[[nodiscard]] std::optional<RowChanges> decode_row_changes(std::span<const std::byte> bytes);

class LiveRows {
 public:
  LiveRows() = default;
  LiveRows(const LiveRows&) = delete;
  LiveRows& operator=(const LiveRows&) = delete;
  virtual ~LiveRows() = default;

  [[nodiscard]] virtual std::optional<LiveRow> get(const RowKey& key) const = 0;
  // Calls `take` for the rows of a table, in the order of their keys, until `take` returns false. `take` must not
  // change rows.
  virtual void each(LiveTable table, const std::function<bool(const RowKey&, const LiveRow&)>& take) const = 0;
  // Writes all changes to the disk, or no change. Throws ResourceError if the disk is full.
  virtual void commit(const RowChanges& changes) = 0;
  // Called when no caller waits for the role. Throws what commit() throws.
  virtual void at_rest() {}
};

// get() returns a row as changed in the draft. The changes are on the disk only after commit().
class RowDraft {
 public:
  explicit RowDraft(LiveRows& rows) : rows_(rows) {}

  [[nodiscard]] std::optional<LiveRow> get(const RowKey& key) const;
  void put(const RowKey& key, LiveRow row) { changes_.insert_or_assign(key, std::move(row)); }
  void erase(const RowKey& key) { changes_.insert_or_assign(key, std::nullopt); }
  void commit();
  [[nodiscard]] bool is_empty() const { return changes_.empty(); }

 private:
  LiveRows& rows_;
  RowChanges changes_;
};

}  // namespace sotto::apps::live
