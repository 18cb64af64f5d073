// What a party's own side has pushed since the process began, column by column: for the party's own page alone, where a
// column that leaves its range, or never moves, is seen.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/apps/bandit/live/roles/features.h"

namespace sotto::apps {

class ColumnRanges {
 public:
  struct Range {
    double least = 0;
    double largest = 0;
  };

  void add(const FeatureValues& row);
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  // A column each; none before the first row.
  [[nodiscard]] const std::vector<Range>& ranges() const noexcept { return ranges_; }

 private:
  std::uint64_t rows_ = 0;
  std::vector<Range> ranges_;
};

}  // namespace sotto::apps
