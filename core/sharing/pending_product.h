// PendingProduct: a product on its way into a truncation, without the dealer's term.
//
// A product's shares need [c], c = B(mux, muy), which the dealer would deal at 8 bytes a lane. A truncation that
// follows opens z + r for a mask r that the dealer knows; so the parties leave [c] out, pad with fresh t, and open z -
// c + t: the mask is then r = t - c, uniform because t is, and the dealer knows it. Nothing is dealt.
//
// Meanwhile the parties' shares add up to z - c and must never be opened, masked or sent as they are: c is a function
// of masks that other openings use. Hence a type of its own, which mask_trunc (protocols/arithmetic/mask_trunc.h) takes
// and nothing else does; materialize (protocols/arithmetic/product.h) deals c after all and gives an Arith.
//
//     a compute party    its share of z - c
//     the dealer         c, or nothing where c = 0
//     everybody else     the shape alone
#pragma once

#include <cstdint>

#include "sotto/core/ring/words.h"
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/shape.h"

namespace sotto {

struct ShareAccess;

class PendingProduct {
 public:
  // Throws std::invalid_argument if the number of words is neither 0 nor shape.lanes().
  PendingProduct(Shape shape, unsigned scale, Words words);
  // Shares with nothing left out. Throws std::invalid_argument unless they are in Z/2^64.
  explicit PendingProduct(Arith value);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }

  // Shapes and scales must agree (std::invalid_argument).
  PendingProduct& operator+=(const Arith& other);
  friend PendingProduct operator+(PendingProduct a, const Arith& b) { return a += b; }
  friend PendingProduct operator-(const PendingProduct& a) { return a.times(~std::uint64_t{0}); }
  // value * factor, with `added_scale` more fraction bits.
  [[nodiscard]] PendingProduct times(std::uint64_t factor, unsigned added_scale = 0) const;

 private:
  friend struct ShareAccess;
  Shape shape_;
  unsigned scale_;
  Words words_;
};

}  // namespace sotto
