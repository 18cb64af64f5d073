// The features that a party's own organisation has sent. Only the party sees the features.
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
inline constexpr std::size_t longest_own_subject = 1024;  // bytes

struct PushedFeatures {
  LiveTime at = 0;
  FeatureValues values;
  std::string subject{};  // the party's own name for the subject; may be empty

  friend bool operator==(const PushedFeatures&, const PushedFeatures&) = default;
};
using BatchFeatures = std::vector<std::optional<PushedFeatures>>;  // one element per event; not set: default row

[[nodiscard]] std::vector<std::byte> encode(const PushedFeatures& features);
[[nodiscard]] std::vector<std::byte> encode(const BatchFeatures& features);
[[nodiscard]] std::optional<PushedFeatures> decode_pushed_features(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<BatchFeatures> decode_batch_features(std::span<const std::byte> bytes);

// A party's row about a decided event, stored as long as the party remembers the event's id. The party erases the
// features themselves after the learn. If the organisation sends features for the event again, the digest shows whether
// they equal the features that were used.
using FeatureDigest = std::array<std::byte, 8>;
[[nodiscard]] FeatureDigest digest_of(const FeatureValues& values);
struct UsedRow {
  OrderNumber number = 0;
  bool says_used = true;
  std::optional<FeatureDigest> digest;  // not set: the default row was used

  friend bool operator==(const UsedRow&, const UsedRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const UsedRow& row);
[[nodiscard]] std::optional<UsedRow> decode_used_row(std::span<const std::byte> bytes);

// The features that wait for their events, oldest first.
class FeatureQueue {
 public:
  explicit FeatureQueue(const LiveRows& rows);

  [[nodiscard]] std::size_t waiting() const noexcept { return count_; }
  [[nodiscard]] std::optional<PushedFeatures> find(const RowDraft& draft, const EventId& event) const;
  void put(RowDraft& draft, const EventId& event, const PushedFeatures& features);
  bool take(RowDraft& draft, const EventId& event);
  std::size_t drop_before(RowDraft& draft, LiveTime time);
  void turn_back(LiveTime now) { ages_.turn_back(now); }

 private:
  EventAges ages_;
  std::size_t count_ = 0;
};

struct ColumnRange {
  double least = 0;
  double largest = 0;

  friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

using ColumnRanges = std::vector<ColumnRange>;

bool widen(ColumnRanges& ranges, const FeatureValues& row);

[[nodiscard]] std::vector<std::byte> encode(const ColumnRanges& ranges);
[[nodiscard]] std::optional<ColumnRanges> decode_column_ranges(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
