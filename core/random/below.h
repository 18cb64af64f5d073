// Uniform numbers below a bound, out of any source of uniform 64-bit words.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace sotto {

// Uniform in [0, n), exactly so: `next` gives words until one is at least 2^64 mod n; the words below it would favour
// small answers. Throws std::invalid_argument if n is 0.
template <class Next>
[[nodiscard]] std::uint64_t uniform_below(std::uint64_t n, Next&& next) {
  if (n == 0) throw std::invalid_argument("there is no number below 0");
  for (;;) {
    const std::uint64_t word = next();
    // 2^64 mod n is below n: few words need the second division.
    if (word >= n || word >= (0 - n) % n) return word % n;
  }
}

}  // namespace sotto
