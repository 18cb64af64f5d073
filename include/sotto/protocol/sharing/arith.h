// Arith: additive shares over Z/2^bits, a vector or matrix with a scale. Operations without messages: add, subtract,
// negate, multiply by a public number, change the ring or the shape.
//
// A compute party holds one share per lane. Every other role holds only the shape and runs the same operations on the
// shape. Sums are exact in the ring; products and truncations state their ranges. There is no operator<<, no == and no
// conversion to a number: raw words leave an Arith through ShareAccess only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

struct ShareAccess;

class Arith {
 public:
  Arith() = default;
  // A value of which this role holds nothing.
  Arith(Shape shape, unsigned scale, unsigned bits = 64);
  // A value of which this role holds the share `words`, or nothing if `words` is empty. Throws std::invalid_argument if
  // the number of words is neither 0 nor shape.lanes(), or bits is not in 1..64.
  Arith(Shape shape, unsigned scale, Words words, unsigned bits = 64);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }  // fraction bits
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }    // bits of the ring

  // Throw std::invalid_argument unless shapes, scales and rings agree.
  Arith& operator+=(const Arith& other);
  Arith& operator-=(const Arith& other);
  friend Arith operator+(Arith a, const Arith& b) { return a += b; }
  friend Arith operator-(Arith a, const Arith& b) { return a -= b; }
  friend Arith operator-(const Arith& a) { return a.times(~std::uint64_t{0}); }

  // value * factor, with `added_scale` more fraction bits. times(1 << f, f) changes the scale and not the number.
  [[nodiscard]] Arith times(std::uint64_t factor, unsigned added_scale = 0) const;
  // The same shares read in Z/2^bits, bits <= bits().
  [[nodiscard]] Arith in_ring(unsigned bits) const;
  // value * 2^by in Z/2^(bits() + by): no information is lost, unlike times(1 << by).
  [[nodiscard]] Arith scaled_up(unsigned by) const;
  // The same words in another shape with as many lanes.
  [[nodiscard]] Arith reshaped(Shape shape) const;

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned scale_ = 0;
  unsigned bits_ = 64;
  Words words_;
};

// PendingProduct: a product that will be truncated, without the dealer's term.
//
// The shares of a product need [c] with c = B(mux, muy), which the dealer would deal at 8 bytes per lane. A truncation
// that follows opens z + r for a mask r that the dealer knows. So the parties leave [c] out, pad with a fresh t, and
// open z - c + t. The mask of this opening is r = t - c: r is uniform because t is uniform, and the dealer knows r.
// Nothing is dealt for [c].
//
// Before the truncation, the parties' shares add up to z - c. Shares of z - c must never be opened, masked or sent
// unchanged, because c is a function of masks that other openings use. So shares of z - c have a type of their own,
// which only mask_trunc (include/sotto/protocol/arithmetic/mask_trunc.h) takes. The function materialize
// (include/sotto/protocol/arithmetic/product.h) deals c after all and returns an Arith.
//
//     a compute party    its share of z - c
//     the dealer         c, or nothing if c = 0
//     all others         only the shape
class PendingProduct {
 public:
  // Throws std::invalid_argument if the number of words is neither 0 nor shape.lanes().
  PendingProduct(Shape shape, unsigned scale, Words words);
  // Complete shares, with no term left out. Throws std::invalid_argument unless the shares are in Z/2^64.
  explicit PendingProduct(Arith value);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }

  // Throw std::invalid_argument unless shapes and scales agree.
  PendingProduct& operator+=(const Arith& other);
  PendingProduct& operator+=(const PendingProduct& other);
  friend PendingProduct operator+(PendingProduct a, const Arith& b) { return a += b; }
  friend PendingProduct operator-(const PendingProduct& a) { return a.times(~std::uint64_t{0}); }
  // value * factor, with `added_scale` more fraction bits. A temporary is not copied.
  [[nodiscard]] PendingProduct times(std::uint64_t factor, unsigned added_scale = 0) const&;
  [[nodiscard]] PendingProduct times(std::uint64_t factor, unsigned added_scale = 0) &&;

 private:
  friend struct ShareAccess;
  Shape shape_;
  unsigned scale_;
  Words words_;
};

}  // namespace sotto
