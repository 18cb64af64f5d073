#include "sotto/protocol/arithmetic/product.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

void require_small_cuts(const Masked& x, const Masked& y) {
  x.require_operand();
  y.require_operand();
  if (x.plain() || y.plain() || x.largest_carry_shift() + y.largest_carry_shift() <= 64) return;
  throw std::invalid_argument(fmt::format(
      "a product of values with carry terms of {} and {} bits: the sum must not exceed 64, mask one of them afresh",
      x.largest_carry_shift(), y.largest_carry_shift()));
}

void add_carry_term(Party& party, const BilinearMap& map, Operand side, const Masked::CarryTerm& term,
                    const Mask& other, Words& out) {
  const Additive pairs = party.preprocessing().cut(map, side, term.shift, term.g, other);
  if (!party.holds_shares()) return;
  Words sum(out.size());
  if (side == Operand::left) {
    map.left_pairs(sum.data(), term.bits.data(), pairs.words.data());
  } else {
    map.right_pairs(sum.data(), term.bits.data(), pairs.words.data());
  }
  kernels().scale_add(out.data(), std::uint64_t{1} << (64 - term.shift), sum.data(), out.size());
}

Words masked_operands(const Arith& x, const Arith& y, const Triples& triples) {
  const Words& xs = ShareAccess::words(x);
  const Words& ys = ShareAccess::words(y);
  const std::uint64_t ring = ring_mask(x.bits());
  const std::size_t lanes = xs.size();
  Words result(2 * lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    result[i] = (xs[i] - triples.a.words[i]) & ring;
    result[lanes + i] = (ys[i] - triples.b.words[i]) & ring;
  }
  return result;
}

Words combine(const Party& party, Triples triples, const Words& opened, unsigned bits) {
  if (!party.holds_shares()) return {};
  const std::size_t lanes = triples.c.words.size();
  const std::uint64_t ring = ring_mask(bits);
  const std::uint64_t first = party.adds_constants() ? 1 : 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::uint64_t d = opened[i];
    const std::uint64_t e = opened[lanes + i];
    triples.c.words[i] = (triples.c.words[i] + d * triples.b.words[i] + e * triples.a.words[i] + first * d * e) & ring;
  }
  return std::move(triples.c.words);
}

}  // namespace

PendingProduct pending_product_of(Party& party, const BilinearMap& map, const Masked& x, const Masked& y,
                                  unsigned bits) {
  require_small_cuts(x, y);
  const Mask& mx = ShareAccess::mask(x);
  const Mask& my = ShareAccess::mask(y);

  Words out;
  if (party.holds_shares()) {
    out =
        map.local_product({ShareAccess::words(x), mx.words}, {ShareAccess::words(y), my.words}, party.adds_constants());
  }
  party.preprocessing().product(map, mx, my, bits, out);

  for (const auto& term : x.carry_terms()) add_carry_term(party, map, Operand::left, term, my, out);
  for (const auto& term : y.carry_terms()) add_carry_term(party, map, Operand::right, term, mx, out);
  return PendingProduct(map.out, x.scale() + y.scale(), std::move(out));
}

Arith materialize(Party& party, PendingProduct value) {
  Words words = std::move(ShareAccess::words(value));
  party.preprocessing().materialize(words, value.lanes());
  if (!party.holds_shares()) return Arith(value.shape(), value.scale());
  return Arith(value.shape(), value.scale(), std::move(words));
}

Arith elementwise(Party& party, const Masked& x, const Masked& y) {
  return product(party, Elementwise(x.shape(), y.shape()), x, y);
}
Arith row_dot(Party& party, const Masked& x, const Masked& y) {
  return product(party, RowDot(x.shape(), y.shape()), x, y);
}
Arith row_scale(Party& party, const Masked& x, const Masked& y) {
  return product(party, RowScale(x.shape(), y.shape()), x, y);
}
Arith symmetric_matvec(Party& party, const Masked& matrices, const Masked& y) {
  return product(party, SymmetricMatVec(matrices.shape(), y.shape()), matrices, y);
}
Arith symmetric_outer(Party& party, const Masked& x, const Masked& y) {
  return product(party, SymmetricOuter(x.shape(), y.shape()), x, y);
}
Arith matmul(Party& party, const Masked& x, const Masked& y) {
  return product(party, MatMul(x.shape(), y.shape()), x, y);
}

Task<Arith> multiply(Party& party, Arith x, Arith y, Label label) {
  auto [masked_x, masked_y] = co_await when_all(mask(party, std::move(x), label), mask(party, std::move(y), label));
  co_return elementwise(party, masked_x, masked_y);
}

Arith plus(const Party& party, Arith value, std::uint64_t constant) {
  if (party.adds_constants()) {
    const std::uint64_t ring = ring_mask(value.bits());
    for (std::uint64_t& word : ShareAccess::words(value)) word = (word + constant) & ring;
  }
  return value;
}

PendingProduct plus(const Party& party, PendingProduct value, std::uint64_t constant) {
  if (party.adds_constants()) {
    for (std::uint64_t& word : ShareAccess::words(value)) word += constant;
  }
  return value;
}

PendingProduct plus_multiple(const Party& party, PendingProduct value, const Masked& other, std::uint64_t factor,
                             unsigned added_scale) {
  require_same_shape(value.shape(), other.shape(), "sum with a multiple");
  require_same_scale(value.scale(), other.scale() + added_scale, "sum with a multiple");
  if (party.holds_shares()) {
    Words& words = ShareAccess::words(value);
    kernels().masked_scale_add(words.data(), factor, ShareAccess::words(other).data(),
                               ShareAccess::mask(other).words.data(), party.adds_constants() ? 1 : 0, words.size());
  }
  return value;
}

Task<Arith> multiply_with_triples(Party& party, Arith x, Arith y, Label label) {
  require_same_shape(x.shape(), y.shape(), "product of shares");
  if (x.bits() != y.bits()) throw std::invalid_argument("product of shares: the rings differ");
  const std::size_t lanes = x.lanes();
  const unsigned bits = x.bits();
  Triples triples = party.preprocessing().triples(lanes, bits, Group::sum);

  Words opened = masked_operands(x, y, triples);
  const Slot slot{label, SlotKind::open, bits, 2 * lanes};
  co_await Exchange(party.rounds(), slot, opened, opened);

  Words shares = combine(party, std::move(triples), opened, bits);
  co_return Arith(x.shape(), x.scale() + y.scale(), std::move(shares), bits);
}

}  // namespace sotto::protocols
