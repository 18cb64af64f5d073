// Bool: XOR shares of `width` bits per lane, for circuits.
//
// A lane is one 64-bit word whose bits from `width` on are zero. A compute party has one share per lane, and every
// other role only the shape. All operations are local, and throw std::invalid_argument if shapes or widths differ.
// There is no operator<<, no == and no conversion to a number: raw words leave a Bool through ShareAccess only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

class Party;
struct ShareAccess;

class Bool {
 public:
  Bool() = default;
  // Makes a value without words, for a role that has no shares.
  Bool(Shape shape, unsigned width);
  // Drops bits from `width` on. Throws std::invalid_argument if the number of words is neither 0 nor shape.lanes(), or
  // width is not in 1..64.
  Bool(Shape shape, unsigned width, Words words);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned width() const noexcept { return width_; }

  Bool& operator^=(const Bool& other);
  friend Bool operator^(Bool a, const Bool& b) { return a ^= b; }

  // The bitwise AND of every lane and the same public word.
  [[nodiscard]] Bool masked_by(std::uint64_t word) const;
  // Only party 0 changes its share.
  [[nodiscard]] Bool complement(const Party& party) const;

  // Bits 0 .. bits - 1, 1 <= bits <= width.
  [[nodiscard]] Bool low(unsigned bits) const;
  // Bits from .. width - 1, from < width.
  [[nodiscard]] Bool high(unsigned from) const;
  // Shifts up by `by` bits; the width grows to width + by <= 64.
  [[nodiscard]] Bool raised(unsigned by) const;
  // Bits 0, 2, 4 .. and bits 1, 3, 5 ..; the width must be even.
  [[nodiscard]] Bool even_bits() const;
  [[nodiscard]] Bool odd_bits() const;
  [[nodiscard]] Bool reshaped(Shape shape) const;

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned width_ = 64;
  Words words_;
};

}  // namespace sotto
