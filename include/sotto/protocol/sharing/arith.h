// Arith: additive shares over Z/2^bits, a vector or matrix with a scale.
//
// A compute party has one share per lane, and every other role only the shape. All operations are local and exact in
// the ring. There is no operator<<, no == and no conversion to a number: raw words leave an Arith through ShareAccess
// only.
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
  // Makes a value without words, for a role that has no shares.
  Arith(Shape shape, unsigned scale, unsigned bits = 64);
  // Throws std::invalid_argument if the number of words is neither 0 nor shape.lanes(), or bits is not in 1..64.
  Arith(Shape shape, unsigned scale, Words words, unsigned bits = 64);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }  // fraction bits
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }

  // Throw std::invalid_argument unless shapes, scales and rings agree.
  Arith& operator+=(const Arith& other);
  Arith& operator-=(const Arith& other);
  friend Arith operator+(Arith a, const Arith& b) { return a += b; }
  friend Arith operator-(Arith a, const Arith& b) { return a -= b; }
  friend Arith operator-(const Arith& a) { return a.times(~std::uint64_t{0}); }

  // value * factor, with `added_scale` more fraction bits.
  [[nodiscard]] Arith times(std::uint64_t factor, unsigned added_scale = 0) const;
  // The same shares modulo 2^bits, bits <= bits().
  [[nodiscard]] Arith in_ring(unsigned bits) const;
  // value * 2^by in the larger ring Z/2^(bits() + by), so that no bits are lost.
  [[nodiscard]] Arith scaled_up(unsigned by) const;
  [[nodiscard]] Arith reshaped(Shape shape) const;

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned scale_ = 0;
  unsigned bits_ = 64;
  Words words_;
};

// PendingProduct: a product without the dealer's term, to be truncated.
//
// The shares of a product need shares of c = B(mu_x, mu_y), where mu_x and mu_y are the masks of the operands. Shares
// of c would cost 8 dealt bytes per lane. A truncation opens z + r for a mask r that the dealer knows. So the parties
// leave c out, pad with a fresh t, and open z - c + t. The mask of this opening is r = t - c: r is uniform because t is
// uniform, and the dealer knows r.
//
// The parties' shares add up to z - c; the dealer has c, or nothing if c = 0. Shares of z - c have a type of their own.
// They must never be opened, masked or sent unchanged, because c is a function of masks that other openings use.
class PendingProduct {
 public:
  // Throws std::invalid_argument if the number of words is neither 0 nor shape.lanes().
  PendingProduct(Shape shape, unsigned scale, Words words);
  // Makes a pending product of complete shares. Throws std::invalid_argument unless the shares are in Z/2^64.
  explicit PendingProduct(Arith value);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }

  // Throw std::invalid_argument unless shapes and scales agree.
  PendingProduct& operator+=(const Arith& other);
  PendingProduct& operator+=(const PendingProduct& other);
  friend PendingProduct operator+(PendingProduct a, const Arith& b) { return a += b; }
  friend PendingProduct operator-(const PendingProduct& a) { return a.times(~std::uint64_t{0}); }
  // value * factor, with `added_scale` more fraction bits.
  [[nodiscard]] PendingProduct times(std::uint64_t factor, unsigned added_scale = 0) const&;
  [[nodiscard]] PendingProduct times(std::uint64_t factor, unsigned added_scale = 0) &&;

 private:
  friend struct ShareAccess;
  Shape shape_;
  unsigned scale_;
  Words words_;
};

}  // namespace sotto
