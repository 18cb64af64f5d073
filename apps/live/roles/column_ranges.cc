#include "apps/live/roles/column_ranges.h"

#include <algorithm>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

bool widen(ColumnRanges& ranges, const FeatureValues& row) {
  bool is_wider = ranges.size() < row.size();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == ranges.size()) ranges.push_back({row[i], row[i]});
    ColumnRange& range = ranges[i];
    is_wider = is_wider || row[i] < range.least || row[i] > range.largest;
    range.least = std::min(range.least, row[i]);
    range.largest = std::max(range.largest, row[i]);
  }
  return is_wider;
}

std::vector<std::byte> encode(const ColumnRanges& ranges) {
  ByteWriter out;
  out.number(std::uint64_t{ranges.size()});
  for (const ColumnRange& range : ranges) {
    out.number(range.least);
    out.number(range.largest);
  }
  return out.take();
}

std::optional<ColumnRanges> decode_column_ranges(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  ColumnRanges ranges(in.length(2 * sizeof(double)));
  for (ColumnRange& range : ranges) {
    range.least = in.number<double>();
    range.largest = in.number<double>();
    if (!(range.least <= range.largest)) return std::nullopt;
  }
  if (!in.at_end()) return std::nullopt;
  return ranges;
}

}  // namespace sotto::apps::live
