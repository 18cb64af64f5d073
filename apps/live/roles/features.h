// The features that one party's own organisation has pushed. Some wait until their event is proposed, and some belong
// to batches that were decided. Only the party sees them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/live/roles/waiting_events.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

using FeatureValues = std::vector<double>;

// The features of one event as pushed. An empty place in a batch means that the default row was taken.
struct PushedFeatures {
  LiveTime at = 0;
  FeatureValues values;
  std::string subject{};  // the party's own name of the subject; may be empty

  friend bool operator==(const PushedFeatures&, const PushedFeatures&) = default;
};
using BatchFeatures = std::vector<std::optional<PushedFeatures>>;  // one element per event

[[nodiscard]] std::vector<std::byte> encode(const PushedFeatures& features);
[[nodiscard]] std::vector<std::byte> encode(const BatchFeatures& features);
[[nodiscard]] std::optional<PushedFeatures> decode_pushed_features(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<BatchFeatures> decode_batch_features(std::span<const std::byte> bytes);

// The row of a party for an event that was decided; it stays as long as the party knows the id. Once the features are
// learned and erased, only their digest is left. If features are pushed again, the digest shows whether they are the
// features that were used.
using FeatureDigest = std::array<std::byte, 8>;
[[nodiscard]] FeatureDigest digest_of(const FeatureValues& values);
struct UsedRow {
  OrderNumber number = 0;               // number of the decide
  bool says_used = true;                // false: the row was written by a version that kept no digests
  std::optional<FeatureDigest> digest;  // nothing: the default row was used

  friend bool operator==(const UsedRow&, const UsedRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const UsedRow& row);
[[nodiscard]] std::optional<UsedRow> decode_used_row(std::span<const std::byte> bytes);

// The times at which waiting features were pushed, oldest first. The ids and times are in memory, the values on the
// disk.
class FeatureQueue {
 public:
  explicit FeatureQueue(const LiveRows& rows);

  [[nodiscard]] std::size_t waiting() const noexcept { return count_; }
  [[nodiscard]] std::optional<PushedFeatures> find(const RowDraft& draft, const EventId& event) const;
  void put(RowDraft& draft, const EventId& event, const PushedFeatures& features);
  // Removes the features of the event. Returns whether there were any.
  bool take(RowDraft& draft, const EventId& event);
  // Drops features that were pushed before `time` and that no propose has asked for. Returns how many were dropped.
  std::size_t drop_before(RowDraft& draft, LiveTime time);
  // Takes `now` as the clock's time: later times become `now`.
  void turn_back(LiveTime now) { ages_.turn_back(now); }

 private:
  EventAges ages_;  // includes features that were taken since
  std::size_t count_ = 0;
};

// The ranges of the values that a party's own organisation gave, column by column, since the store began to count. They
// are only for the party's own page, which shows a column that leaves its range or never moves.

struct ColumnRange {
  double least = 0;
  double largest = 0;

  friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

// One range per column; empty before the first row.
using ColumnRanges = std::vector<ColumnRange>;

// Widens the ranges by the row. Returns whether that changed them.
bool widen(ColumnRanges& ranges, const FeatureValues& row);

[[nodiscard]] std::vector<std::byte> encode(const ColumnRanges& ranges);
// Nothing if the bytes are not such ranges.
[[nodiscard]] std::optional<ColumnRanges> decode_column_ranges(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
