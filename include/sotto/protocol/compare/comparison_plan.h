// How a comparison of k bits is cut into tables, chosen so that the least is dealt.
//
// The low k - 1 bits are cut into n digits, the lowest first. Digit 0 says -[d < m], each digit above it sign(d - m),
// and these are added up with the weights 1, 1, 2, 4 .. 2^(n-2): no digit can be outweighed by those below it, and the
// sum lies in [-2^(n-1), 2^(n-1)), so that Z/2^n holds it and its top bit is the borrow out of the low bits. Digit i >=
// 1 weighs 2^(i-1), so its table needs the ring Z/2^(n+1-i) only, and the widest digits go on top. The last table tells
// a borrow from
// n - 1 bits, see below_zero.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sotto::protocols {

struct ComparisonPlan {
  static constexpr unsigned most_digits = 8;  // the sum then fits a byte

  unsigned bits = 0;    // k: the compared value lies in [-2^(k-1), 2^(k-1))
  unsigned digits = 0;  // n
  std::array<std::uint8_t, most_digits> widths{};

  // The sum is in Z/2^n.
  [[nodiscard]] unsigned sum_bits() const { return digits; }
  // Digit i weighs 2^raise(i).
  [[nodiscard]] static unsigned raise(unsigned i) { return i == 0 ? 0 : i - 1; }
  [[nodiscard]] unsigned ring_bits(unsigned i) const { return digits - raise(i); }
};

// The plan that deals the fewest bits for results in Z/2^result_bits. 2 <= k <= 63 and
// 1 <= result_bits <= 64 (std::invalid_argument). Each thread remembers the plans that it made last.
[[nodiscard]] ComparisonPlan plan_comparison(unsigned bits, unsigned result_bits);

// Bits that a comparison by this plan deals: 2^(n-1) result_bits, and 2^width ring_bits a digit.
[[nodiscard]] std::size_t dealt_bits(const ComparisonPlan& plan, unsigned result_bits);

}  // namespace sotto::protocols
