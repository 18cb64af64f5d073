// The features that one party's own organisation has pushed: features that wait for their propose, and features of
// batches that were decided. Only the party sees them.
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
using BatchFeatures = std::vector<std::optional<PushedFeatures>>;  // one place per event

[[nodiscard]] std::vector<std::byte> encode(const PushedFeatures& features);
[[nodiscard]] std::vector<std::byte> encode(const BatchFeatures& features);
[[nodiscard]] std::optional<PushedFeatures> decode_pushed_features(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<BatchFeatures> decode_batch_features(std::span<const std::byte> bytes);

// The row of a party for an event that was decided, as long as the party knows the id. Once the features are learned
// and erased, only their digest is left. It shows whether features that are pushed again are the features that were
// used.
using FeatureDigest = std::array<std::byte, 8>;
[[nodiscard]] FeatureDigest digest_of(const FeatureValues& values);
struct UsedRow {
  OrderNumber number = 0;               // of the decide
  bool says_used = true;                // false: written by a version that kept no digests
  std::optional<FeatureDigest> digest;  // nothing: the default row was used

  friend bool operator==(const UsedRow&, const UsedRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const UsedRow& row);
[[nodiscard]] std::optional<UsedRow> decode_used_row(std::span<const std::byte> bytes);

// The times at which waiting features were pushed, oldest first. Places and times are in memory, the values on the
// disk.
class FeatureQueue {
 public:
  explicit FeatureQueue(const LiveRows& rows);

  [[nodiscard]] std::size_t waiting() const noexcept { return count_; }
  [[nodiscard]] std::optional<PushedFeatures> find(const RowDraft& draft, const EventId& event) const;
  void put(RowDraft& draft, const EventId& event, const PushedFeatures& features);
  // Returns whether there were any.
  bool take(RowDraft& draft, const EventId& event);
  // Drops features from before `time` that no propose has asked for. Returns how many.
  std::size_t drop_before(RowDraft& draft, LiveTime time);
  // The clock says `now`: later times become `now`.
  void turn_back(LiveTime now) { ages_.turn_back(now); }

 private:
  EventAges ages_;  // includes features that were taken since
  std::size_t count_ = 0;
};

// The ranges of the values that a party's own organisation gave, column by column, since its store counts. They are
// only for the party's own page, which shows a column that leaves its range or never moves.

struct ColumnRange {
  double least = 0;
  double largest = 0;

  friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

// One range per column; empty before the first row.
using ColumnRanges = std::vector<ColumnRange>;

// Returns whether the ranges have changed.
bool widen(ColumnRanges& ranges, const FeatureValues& row);

[[nodiscard]] std::vector<std::byte> encode(const ColumnRanges& ranges);
// Nothing if the bytes are not such ranges.
[[nodiscard]] std::optional<ColumnRanges> decode_column_ranges(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
