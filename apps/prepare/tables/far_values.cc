#include "apps/prepare/tables/far_values.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace sotto::apps::prepare {
namespace {

struct CountedValue {
  double value;
  std::size_t count;
};

std::vector<CountedValue> counted_values(std::span<const double> numbers) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<CountedValue> counted;
  for (const double value : sorted) {
    if (counted.empty() || counted.back().value != value) counted.push_back({value, 0});
    ++counted.back().count;
  }
  return counted;
}

bool all_are(std::string_view digits, char digit) {
  return std::all_of(digits.begin(), digits.end(), [&](char c) { return c == digit; });
}

// -1, -9, 99, 888, 999, 9998, and the ends of machine words.
bool is_usual_sentinel(double value) {
  const double size = std::abs(value);
  for (const double end : {32767.0, 32768.0, 65535.0, 2147483647.0, 2147483648.0, 4294967295.0}) {
    if (size == end) return true;
  }
  if (value == -1 || value == -9) return true;
  if (size != std::floor(size) || size < 88 || size > 1e9) return false;
  const std::string digits = std::to_string(static_cast<long long>(size));
  const std::string_view before_last = std::string_view(digits).substr(0, digits.size() - 1);
  return all_are(digits, '8') || (all_are(before_last, '9') && digits.back() >= '7');
}

// Whether the first of `values` is far from the others, which go away from it. Other sentinels beside it do not count
// (-998 beside -999).
bool is_far(std::span<const CountedValue> values) {
  constexpr std::size_t enough_others = 3;
  const CountedValue& end = values.front();
  if (end.count < 2) return false;
  const auto gap_before = [&](std::size_t i) { return std::abs(values[i].value - end.value); };
  const auto range_from = [&](std::size_t i) { return std::abs(values.back().value - values[i].value); };
  if (end.value != 0 && values.size() > enough_others && gap_before(1) > 2 * range_from(1)) return true;
  if (!is_usual_sentinel(end.value)) return false;
  std::size_t next = 1;
  while (next < values.size() && is_usual_sentinel(values[next].value)) ++next;
  if (next + 1 >= values.size()) return false;
  const double size = std::abs(end.value);
  if (end.value < 0 && values[next].value >= 0) return size > 10 || range_from(next) >= 10;
  return gap_before(next) >= (size < 100 ? 0.5 : 0.1) * range_from(next);
}

}  // namespace

std::vector<FarValue> far_values(std::span<const double> numbers) {
  std::vector<CountedValue> left = counted_values(numbers);
  std::vector<FarValue> found;
  // More are a tail, not sentinels.
  constexpr std::size_t most = 3;
  for (bool again = true; again && left.size() > 2 && found.size() < most;) {
    const std::vector<CountedValue> downwards(left.rbegin(), left.rend());
    again = false;
    if (is_far(downwards)) {
      found.push_back({left.back().value, left.back().count, false});
      left.pop_back();
      again = true;
    } else if (is_far(left)) {
      found.push_back({left.front().value, left.front().count, true});
      left.erase(left.begin());
      again = true;
    }
  }
  return found;
}

}  // namespace sotto::apps::prepare
