// Values that may stand for a missing one: -999, 9999.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sotto::apps::prepare {

// A value that comes at least twice, is the least or the largest of a column, and is far from all others. Values that
// sentinels usually have need not be as far as others.
struct FarValue {
  double value = 0;
  std::size_t count = 0;
  bool is_least = false;
};

// Each is found as if those before it were not there: -999 beside 9999.
[[nodiscard]] std::vector<FarValue> far_values(std::span<const double> numbers);

}  // namespace sotto::apps::prepare
