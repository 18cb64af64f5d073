// Arith: additive shares over Z/2^bits, a vector or matrix with a scale. Without messages: add, subtract, negate,
// multiply by a public number, change the ring or the shape.
//
// A compute party holds one share a lane; every other role holds the shape alone and runs the same operations on it.
// Sums are exact in the ring; products and truncations state their
// ranges. There is no operator<<, no == and no conversion to a number: raw words leave it through ShareAccess only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/core/ring/words.h"
#include "sotto/core/sharing/shape.h"

namespace sotto {

struct ShareAccess;

class Arith {
 public:
  Arith() = default;
  // A value of which this role holds nothing.
  Arith(Shape shape, unsigned scale, unsigned bits = 64);
  // A value of which this role holds the share `words`, or nothing if that is empty. Throws std::invalid_argument if
  // the number of words is neither 0 nor shape.lanes(), or bits is not
  // in 1..64.
  Arith(Shape shape, unsigned scale, Words words, unsigned bits = 64);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }  // fraction bits
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }    // of the ring

  // Shapes, scales and rings must agree: std::invalid_argument otherwise.
  Arith& operator+=(const Arith& other);
  Arith& operator-=(const Arith& other);
  friend Arith operator+(Arith a, const Arith& b) { return a += b; }
  friend Arith operator-(Arith a, const Arith& b) { return a -= b; }
  friend Arith operator-(const Arith& a) { return a.times(~std::uint64_t{0}); }

  // value * factor, with `added_scale` more fraction bits: times(1 << f, f) changes the scale and not the number.
  [[nodiscard]] Arith times(std::uint64_t factor, unsigned added_scale = 0) const;
  // The same shares read in Z/2^bits, bits <= bits().
  [[nodiscard]] Arith in_ring(unsigned bits) const;
  // value * 2^by in Z/2^(bits() + by): no information is lost, unlike times(1 << by).
  [[nodiscard]] Arith scaled_up(unsigned by) const;
  // The same words under another shape of as many lanes.
  [[nodiscard]] Arith reshaped(Shape shape) const;

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned scale_ = 0;
  unsigned bits_ = 64;
  Words words_;
};

}  // namespace sotto
