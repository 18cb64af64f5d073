// Masked: a value x with a public D = x + m at the compute parties, which share the mask m; the dealer knows m.
//
// A mask is m = mu + the sum of k g over the value's carry terms. A plain mask has no carry terms. A truncation by f
// bits leaves one carry term. The bits k become public at the truncation, and g is a multiple of 2^(64-f). The dealer
// knows mu and g but never k. Each role stores:
//
//     a compute party    D, its share of m, and the k of each carry term
//     the dealer         mu, and the g of each carry term
//     all others         only the shape
//
// [public-top-bit truncation: Escudero et al., eprint 2020/338; masked wires: Turbospeedz, eprint 2019/080, and ABY2.0,
// eprint 2020/1225]
#pragma once

#include <cstdint>
#include <span>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

// The parts of a correlation (preprocessing.h) at each role. All other roles have no words.
//
//                  a compute party     the dealer                  used for
//     Mask         its share of m      m, without carry terms      operands of products, sums, multiples
//     Additive     its share           the value                   openings and local sums only
//     BitMask      its XOR share       the bits                    openings by XOR; bits as numbers
//     IndexMask    nothing             m                           one-time tables
//     CarryMask    nothing             g = 2^(64-f) h              products of a truncated operand (cut)
//
// This table is for runs with a dealer. Without a dealer, the parts differ, so each use has its own type.

// A mask for operands of products.
struct Mask {
  Words words;
};

// A sharing for openings and local sums.
struct Additive {
  Words words;
};

// Random bits, shared by XOR.
struct BitMask {
  Words words;
};

// A mask that only the writer of the tables knows.
struct IndexMask {
  Words words;
};

// The g of a carry term, a multiple of 2^(64-f).
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
    CarryMask g;
    // A bound on the product of all public factors since the truncation, at most 2^64 - 1.
    std::uint64_t factor = 1;
    // `factor` after another multiplication.
    [[nodiscard]] std::uint64_t factor_after(std::uint64_t other) const;
  };

  Masked() = default;
  // `words` is D at compute parties, and empty at all other roles.
  Masked(Shape shape, unsigned scale, Words words, Mask mask, PoolVector<CarryTerm> carry_terms = {});

  // A public constant, with mask zero.
  static Masked constant(const Party& party, Shape shape, unsigned scale, std::span<const std::uint64_t> words);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned scale() const noexcept { return scale_; }
  [[nodiscard]] bool plain() const noexcept { return carry_terms_.empty(); }
  // The largest shift f of a carry term, or 0 for a plain mask. Only mu masks the bits of D below 64 - f.
  [[nodiscard]] unsigned largest_carry_shift() const noexcept;
  [[nodiscard]] const PoolVector<CarryTerm>& carry_terms() const noexcept { return carry_terms_; }
  // Throws std::invalid_argument unless the value can be an operand of a product. After a truncation by f > 32, the
  // product of the public factors must be below 2^(63-f). The reason: without a dealer, the roles store the product of
  // the factors in the 64 - f bits below g.
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

  // Let m_p be the share of m at party p. The share of party 0 is D - m_0, and the share of every other party p is
  // -m_p.
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

// The columns of all parts, side by side. The parts must have plain masks. Throws std::invalid_argument if a part has
// carry terms, or if numbers of rows or scales differ.
[[nodiscard]] Masked hstack(std::span<const Masked> parts);

// MaskedIndex: a value in Z/2^bits with a public D, which indexes a one-time table. Only the dealer knows the mask.
class MaskedIndex {
 public:
  MaskedIndex() = default;
  MaskedIndex(Shape shape, unsigned bits, Words words, IndexMask mask);

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t lanes() const noexcept { return shape_.lanes(); }
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }

  // Bits low .. low + bits - 1 of the masked value: floor(D / 2^low) - floor(m / 2^low) in Z/2^bits. The result is
  // exact for low = 0, and else floor(x / 2^low) or one more. Throws std::invalid_argument unless low + bits <= 64 - f
  // for the shift f of each carry term.
  static MaskedIndex bit_range(const Masked& value, unsigned low, unsigned bits);
  // A digit of an index: the bits low .. low + bits - 1 of D and of m.
  [[nodiscard]] MaskedIndex digit(unsigned low, unsigned bits) const;

 private:
  friend struct ShareAccess;
  Shape shape_{0, 0};
  unsigned bits_ = 0;
  Words words_;
  IndexMask mask_;
};

}  // namespace sotto
