#include "sotto/apps/bandit/live/api/column_ranges.h"

#include <algorithm>

namespace sotto::apps {

void ColumnRanges::add(const FeatureValues& row) {
  if (rows_++ == 0) {
    ranges_.reserve(row.size());
    for (const double value : row) ranges_.push_back({value, value});
    return;
  }
  for (std::size_t i = 0; i < ranges_.size() && i < row.size(); ++i) {
    ranges_[i].least = std::min(ranges_[i].least, row[i]);
    ranges_[i].largest = std::max(ranges_[i].largest, row[i]);
  }
}

}  // namespace sotto::apps
