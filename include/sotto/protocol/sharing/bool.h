// Bool: XOR shares of `width` bits per lane, for circuits. Operations without messages: XOR, AND with a public word,
// moving bits, complement.
//
// A lane is one 64-bit word whose bits from `width` on are zero. Adders use all 64 bits of a word, so the words are
// fully used in most of the work. On a link, lanes of fewer bits travel without gaps
// (include/sotto/protocol/boolean/bits.h). A compute party holds one share per lane, and every other role holds only
// the shape.
//
// There is no operator<<, no == and no conversion to a number: raw words leave a Bool through ShareAccess only. Shapes
// and widths must agree: operations throw std::invalid_argument otherwise.
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
  // A value of which this role holds nothing.
  Bool(Shape shape, unsigned width);
  // A value of which this role holds the share `words`, or nothing if `words` is empty. Throws std::invalid_argument if
  // the number of words is neither 0 nor shape.lanes(), or width is not in 1..64. Bits from `width` on are dropped.
  Bool(Shape shape, unsigned width, Words words);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned width() const noexcept { return width_; }

  Bool& operator^=(const Bool& other);
  friend Bool operator^(Bool a, const Bool& b) { return a ^= b; }

  // value AND a public word, the same for every lane.
  [[nodiscard]] Bool masked_by(std::uint64_t word) const;
  // Flips every bit of the value; only party 0 changes its share.
  [[nodiscard]] Bool complement(const Party& party) const;

  // Bits 0 .. bits - 1, 1 <= bits <= width.
  [[nodiscard]] Bool low(unsigned bits) const;
  // Bits from .. width - 1, from < width.
  [[nodiscard]] Bool high(unsigned from) const;
  // The bits, shifted up by `by` positions, with zero bits below them. The width grows to width + by <= 64.
  [[nodiscard]] Bool raised(unsigned by) const;
  // Bits 0, 2, 4 .. and bits 1, 3, 5 ..; the width must be even.
  [[nodiscard]] Bool even_bits() const;
  [[nodiscard]] Bool odd_bits() const;
  // The same words in another shape with as many lanes.
  [[nodiscard]] Bool reshaped(Shape shape) const;

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned width_ = 64;
  Words words_;
};

}  // namespace sotto
