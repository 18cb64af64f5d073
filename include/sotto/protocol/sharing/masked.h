// Masked: a value x of which D = x + m is public among the compute parties. The mask m is shared among the compute
// parties, and known to the dealer. Products of masked values are local (include/sotto/protocol/arithmetic/product.h).
//
// A mask is m = mu + the sum of k g over the value's carry terms. A plain mask has no carry terms. A value that came
// out of a truncation by f bits has one carry term. The public bits k of a carry term became known with the opening,
// and g is a multiple of 2^(64-f) that the dealer knows. So the dealer knows mu and g but never k. Each role stores:
//
//     a compute party    D, its share of m, and the k of each carry term
//     the dealer         mu, and the g of each carry term
//     all others         only the shape
//
// [the public-top-bit truncation: Escudero et al., eprint 2020/338; masked wires: Turbospeedz, eprint 2019/080, and
// ABY2.0, eprint 2020/1225]
#pragma once

#include <cstdint>
#include <span>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

// The parts of a correlation that a role holds (include/sotto/protocol/party/preprocessing.h). Each use has a type of
// its own.
//
//                  a compute party     the dealer          fit for
//     Mask         its share of m      m, without carry    operands of products, sums, multiples by public numbers
//                                      terms
//     Additive     its share           the value           openings and local sums only
//     BitMask      its XOR share       the bits            openings by XOR; the same bits also come as numbers
//     IndexMask    nothing             m                   tables at a public position
//     CarryMask    nothing             g = 2^(64-f) h      cuts of a truncated operand
//
// All other roles hold no words. Each part has its own type, since a backend without a dealer may hold more of a Mask,
// or shares of values that only the dealer knows in this table.

// The mask of a value that enters products.
struct Mask {
  Words words;
};

// Shares of a correlation that enters openings and local sums.
struct Additive {
  Words words;
};

// Random bits, shared by XOR.
struct BitMask {
  Words words;
};

// The mask of an index, known only to the writer of the tables.
struct IndexMask {
  Words words;
};

// The g of a carry term (Masked::CarryTerm), a multiple of 2^(64-f).
struct CarryMask {
  Words words;
};

class Party;
struct ShareAccess;

class Masked {
 public:
  struct CarryTerm {
    unsigned shift;  // f, where g is a multiple of 2^(64-f)
    Words bits;      // k, 0 or 1 per lane, at a compute party
    CarryMask g;     // g, at the dealer
    // The largest absolute value of the product of public factors by which a lane was multiplied since the truncation;
    // 2^64 - 1 if the product is larger.
    std::uint64_t factor = 1;
    // The value of `factor` once the lanes are multiplied by another factor.
    [[nodiscard]] std::uint64_t factor_after(std::uint64_t other) const;
  };

  Masked() = default;
  // `words` is D at compute parties, and empty at all other roles; `mask` is as in the table above.
  Masked(Shape shape, unsigned scale, Words words, Mask mask, PoolVector<CarryTerm> carry_terms = {});

  // A public constant as a masked value, so that it can enter products like any other value. The mask is zero, because
  // there is nothing to hide.
  static Masked constant(const Party& party, Shape shape, unsigned scale, std::span<const std::uint64_t> words);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }
  [[nodiscard]] bool plain() const noexcept { return carry_terms_.empty(); }
  // The largest shift among the carry terms, 0 for a plain mask. Bits of D below 64 - largest_carry_shift() are masked
  // only by mu.
  [[nodiscard]] unsigned largest_carry_shift() const noexcept;
  [[nodiscard]] const PoolVector<CarryTerm>& carry_terms() const noexcept { return carry_terms_; }
  // Throws std::invalid_argument unless the value can be an operand of a product. After a truncation by f > 32, the
  // product of the public factors must be below 2^(63-f). Without a dealer, the factors are read from the 64 - f bits
  // below g, which have no room for larger factors.
  void require_operand() const;

  // The sum has the carry terms of both values. Throws std::invalid_argument unless shapes and scales agree.
  Masked& operator+=(const Masked& other) { return add_multiple(other, 1); }
  Masked& operator-=(const Masked& other) { return add_multiple(other, ~std::uint64_t{0}); }
  friend Masked operator+(Masked a, const Masked& b) { return a += b; }
  friend Masked operator-(Masked a, const Masked& b) { return a -= b; }
  friend Masked operator-(const Masked& a) { return a.times(~std::uint64_t{0}); }

  // value * factor, with `added_scale` more fraction bits.
  [[nodiscard]] Masked times(std::uint64_t factor, unsigned added_scale = 0) const;
  // value + constant in every lane; the constant is at this value's scale.
  [[nodiscard]] Masked plus(std::uint64_t constant) const;
  [[nodiscard]] Masked reshaped(Shape shape) const;

  // The value as additive shares. The share of party 0 is D minus its share of m. The share of every other party is the
  // negative of its share of m.
  [[nodiscard]] Arith shares(const Party& party) const;

 private:
  friend struct ShareAccess;
  Masked& add_multiple(const Masked& other, std::uint64_t factor);

  Shape shape_{0, 0};
  unsigned scale_ = 0;
  Words words_;
  Mask mask_;
  PoolVector<CarryTerm> carry_terms_;
};

// Plain masked values with equally many rows, side by side. Throws std::invalid_argument for carry terms, and if
// numbers of rows or scales differ.
[[nodiscard]] Masked hstack(std::span<const Masked> parts);

// MaskedIndex: a value in Z/2^bits, masked in the same ring, that indexes a one-time table. D is public. Only the
// dealer knows the mask, and no party holds shares of the mask.
class MaskedIndex {
 public:
  MaskedIndex() = default;
  MaskedIndex(Shape shape, unsigned bits, Words words, IndexMask mask);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }

  // Bits low .. low + bits - 1 of the masked value, read as floor(D / 2^low) - floor(m / 2^low) in Z/2^bits. The result
  // is floor(x / 2^low) or one more; it is exact for low = 0. Throws std::invalid_argument if the range reaches a carry
  // term.
  static MaskedIndex bit_range(const Masked& value, unsigned low, unsigned bits);
  // Like bit_range(), for an index that is cut into digits: D and m are cut into digits separately.
  [[nodiscard]] MaskedIndex digit(unsigned low, unsigned bits) const;

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned bits_ = 0;
  Words words_;     // D at compute parties
  IndexMask mask_;  // m at the dealer
};

}  // namespace sotto
