// Standard normal numbers from uniform words, by Box and Muller: two of each two words. No distribution of the standard
// library is used, as their algorithms differ.
#pragma once

#include <cmath>
#include <numbers>

namespace sotto::apps {

struct NormalPair {
  double first;
  double second;
};

// `Words` has next(), 64 uniform bits.
template <class Words>
[[nodiscard]] NormalPair normal_pair(Words& words) {
  // (0, 1], of 53 bits: the logarithm is finite.
  const double u = (static_cast<double>(words.next() >> 11) + 1) * 0x1p-53;
  const double angle = 2 * std::numbers::pi * (static_cast<double>(words.next() >> 11) * 0x1p-53);
  const double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace sotto::apps
