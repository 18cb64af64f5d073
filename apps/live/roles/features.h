// The features that a party's own organisation has sent. Some features wait until their event is proposed, and others
// belong to decided batches. Only the party sees the features.
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

// The features of one event, as the party's organisation sent them. If an event of a batch has no such features, the
// event was decided with the default row.
struct PushedFeatures {
  LiveTime at = 0;
  FeatureValues values;
  std::string subject{};  // the party's own name for the subject; may be empty

  friend bool operator==(const PushedFeatures&, const PushedFeatures&) = default;
};
using BatchFeatures = std::vector<std::optional<PushedFeatures>>;  // one element per event

[[nodiscard]] std::vector<std::byte> encode(const PushedFeatures& features);
[[nodiscard]] std::vector<std::byte> encode(const BatchFeatures& features);
[[nodiscard]] std::optional<PushedFeatures> decode_pushed_features(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<BatchFeatures> decode_batch_features(std::span<const std::byte> bytes);

// A party's row about a decided event, stored as long as the party remembers the event's id. The features are erased
// after they are learned, and only their digest stays. If features are sent again, the digest shows whether they are
// the features that were used.
using FeatureDigest = std::array<std::byte, 8>;
[[nodiscard]] FeatureDigest digest_of(const FeatureValues& values);
struct UsedRow {
  OrderNumber number = 0;               // number of the decide
  bool says_used = true;                // false: the row is of a version without digests
  std::optional<FeatureDigest> digest;  // not set: the default row was used

  friend bool operator==(const UsedRow&, const UsedRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const UsedRow& row);
[[nodiscard]] std::optional<UsedRow> decode_used_row(std::span<const std::byte> bytes);

// The features that wait for their events, oldest first. Ids and times are in memory, and values are on the disk.
class FeatureQueue {
 public:
  explicit FeatureQueue(const LiveRows& rows);

  [[nodiscard]] std::size_t waiting() const noexcept { return count_; }
  [[nodiscard]] std::optional<PushedFeatures> find(const RowDraft& draft, const EventId& event) const;
  void put(RowDraft& draft, const EventId& event, const PushedFeatures& features);
  // Removes the features of the event. Returns true if the event had features.
  bool take(RowDraft& draft, const EventId& event);
  // Drops features that were sent before `time` and that no decide has used. Returns the number of events whose
  // features were dropped.
  std::size_t drop_before(RowDraft& draft, LiveTime time);
  // Handles a clock that was set back to `now`: later times become `now`.
  void turn_back(LiveTime now) { ages_.turn_back(now); }

 private:
  EventAges ages_;  // may still contain events whose features take() has removed
  std::size_t count_ = 0;
};

// The range of each column's values since the store began to count. The ranges are only for the party's own page, which
// shows whether a column's values leave the expected range or never change.

struct ColumnRange {
  double least = 0;
  double largest = 0;

  friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

// One range per column; empty before the first row.
using ColumnRanges = std::vector<ColumnRange>;

// Widens the ranges so that they include the row. Returns true if a range changed.
bool widen(ColumnRanges& ranges, const FeatureValues& row);

[[nodiscard]] std::vector<std::byte> encode(const ColumnRanges& ranges);
// Returns nothing if the bytes are not encoded ranges.
[[nodiscard]] std::optional<ColumnRanges> decode_column_ranges(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
