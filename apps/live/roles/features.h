// The features that one party's side has pushed: those that wait for their propose, and those of batches that were
// decided. The party's own, seen by nobody else.
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

// One event's as pushed; nothing in a batch: the default row was taken.
struct PushedFeatures {
  LiveTime at = 0;
  FeatureValues values;
  std::string subject{};  // the party's own name of whom they are about; may be empty

  friend bool operator==(const PushedFeatures&, const PushedFeatures&) = default;
};
using BatchFeatures = std::vector<std::optional<PushedFeatures>>;  // an event a place

[[nodiscard]] std::vector<std::byte> encode(const PushedFeatures& features);
[[nodiscard]] std::vector<std::byte> encode(const BatchFeatures& features);
[[nodiscard]] std::optional<PushedFeatures> decode_pushed_features(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<BatchFeatures> decode_batch_features(std::span<const std::byte> bytes);

// What a party knows of an event that was decided, as long as it knows the id. Of its features, once they are learned
// and erased, only a digest: who pushes them again is told whether they are the ones that were used.
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

// When features that wait were pushed, oldest first: a place and a time each in memory, the values on the disk.
class FeatureQueue {
 public:
  explicit FeatureQueue(const LiveRows& rows);

  [[nodiscard]] std::size_t waiting() const noexcept { return count_; }
  [[nodiscard]] std::optional<PushedFeatures> find(const RowDraft& draft, const EventId& event) const;
  void put(RowDraft& draft, const EventId& event, const PushedFeatures& features);
  // Whether there were any.
  bool take(RowDraft& draft, const EventId& event);
  // Those of before `time` that no propose has asked for. Says how many.
  std::size_t drop_before(RowDraft& draft, LiveTime time);
  // By the clock it is `now`: none was pushed later.
  void turn_back(LiveTime now) { ages_.turn_back(now); }

 private:
  EventAges ages_;  // also of features that were taken since
  std::size_t count_ = 0;
};

// What a party's own side gave, column by column, since its store counts: for the party's own page alone, where a
// column that leaves its range, or never moves, is seen.

struct ColumnRange {
  double least = 0;
  double largest = 0;

  friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

// A column each; none before the first row.
using ColumnRanges = std::vector<ColumnRange>;

// Whether that changes them.
bool widen(ColumnRanges& ranges, const FeatureValues& row);

[[nodiscard]] std::vector<std::byte> encode(const ColumnRanges& ranges);
// Nothing if the bytes are none.
[[nodiscard]] std::optional<ColumnRanges> decode_column_ranges(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
