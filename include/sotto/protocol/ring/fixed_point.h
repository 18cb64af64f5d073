// Fixed-point numbers in Z/2^64: a value v with f fraction bits, 0 <= f <= 63, is the word round(v * 2^f) mod 2^64,
// read as a signed number.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace sotto {

// The word whose low `bits` bits are 1 and whose other bits are 0, for 1 <= bits <= 64.
[[nodiscard]] constexpr std::uint64_t ring_mask(unsigned bits) {
  if (bits < 1 || bits > 64) throw std::invalid_argument("a ring has 1 to 64 bits");
  return ~std::uint64_t{0} >> (64 - bits);
}

// The word as a signed number, in [-2^63, 2^63).
[[nodiscard]] constexpr std::int64_t to_signed(std::uint64_t word) { return static_cast<std::int64_t>(word); }

namespace detail {

// Throws std::invalid_argument for more than 63 fraction bits.
inline double scaled(double value, unsigned fraction_bits) {
  if (fraction_bits > 63) throw std::invalid_argument("a word has at most 63 fraction bits");
  return std::ldexp(value, static_cast<int>(fraction_bits));
}

// Both bounds are exact as doubles, and the comparison is false for NaN.
inline std::uint64_t word_of(double whole) {
  if (!(whole >= -0x1p63 && whole < 0x1p63)) {
    throw std::invalid_argument("a value is not finite or too large for its fraction bits");
  }
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
}

}  // namespace detail

// The nearest word, ties away from zero. Throws std::invalid_argument for NaN, infinities and values outside
// [-2^(63-f), 2^(63-f)) after rounding.
[[nodiscard]] inline std::uint64_t encode(double value, unsigned fraction_bits) {
  return detail::word_of(std::round(detail::scaled(value, fraction_bits)));
}

// Rounds v * 2^f down or up at random, so that the expected word is v * 2^f: floor(v * 2^f + u) for u = uniform01.
// Throws like encode(), and for u outside [0, 1).
[[nodiscard]] inline std::uint64_t encode_unbiased(double value, unsigned fraction_bits, double uniform01) {
  if (!(uniform01 >= 0.0 && uniform01 < 1.0)) {
    throw std::invalid_argument("the uniform number of an unbiased encoding is not in [0, 1)");
  }
  const double exact = detail::scaled(value, fraction_bits);
  const double down = std::floor(exact);
  // exact + u would be rounded, and the result would be one too large for u near 1.
  return detail::word_of(uniform01 >= 1.0 - (exact - down) ? down + 1.0 : down);
}

// The value of a word, exact up to the 53 bits of a double.
[[nodiscard]] inline double decode(std::uint64_t word, unsigned fraction_bits) {
  if (fraction_bits > 63) throw std::invalid_argument("a word has at most 63 fraction bits");
  return std::ldexp(static_cast<double>(to_signed(word)), -static_cast<int>(fraction_bits));
}

}  // namespace sotto
