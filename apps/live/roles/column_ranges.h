// What a party's own side gave, column by column, since its store counts: for the party's own page alone, where a
// column that leaves its range, or never moves, is seen.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/live/roles/features.h"

namespace sotto::apps::live {

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
