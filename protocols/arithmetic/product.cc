#include "sotto/protocols/arithmetic/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "sotto/core/async/when_all.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/core/ring/kernels.h"
#include "sotto/core/sharing/share_access.h"
#include "sotto/protocols/io/mask.h"

namespace sotto::protocols {
namespace {

void require_small_cuts(const Masked& x, const Masked& y) {
  if (x.plain() || y.plain() || x.largest_carry_shift() + y.largest_carry_shift() <= 64) return;
  throw std::invalid_argument(fmt::format(
      "a product of values with carry terms of {} and {} bits: the sum must not exceed 64, mask one of them afresh",
      x.largest_carry_shift(), y.largest_carry_shift()));
}

constexpr std::uint64_t minus_one = ~std::uint64_t{0};

Words negated(const Words& words) {
  Words result(words.size());
  kernels().scale(result.data(), minus_one, words.data(), words.size());
  return result;
}

// This party's part of (Dx - mx)(Dy - my) without the term in both masks: with sy and sx its shares of the values,
// B(Dx, sy) - B(mx, Dy), or B(sx, Dy) - B(Dx, my). The smaller operand is the one that is copied.
template <class Map>
Words local_terms(const Party& party, const Map& map, const Masked& x, const Masked& y) {
  const Words& dx = ShareAccess::words(x);
  const Words& dy = ShareAccess::words(y);
  const Words& mx = ShareAccess::mask(x);
  const Words& my = ShareAccess::mask(y);
  if constexpr (std::is_same_v<Map, Elementwise>) {
    if (map.same_rows()) {
      Words out(map.out.lanes());
      kernels().masked_multiply(out.data(), dx.data(), mx.data(), dy.data(), my.data(), party.adds_constants() ? 1 : 0,
                                out.size());
      return out;
    }
  }
  if constexpr (std::is_same_v<Map, SymmetricOuter>) {
    Words out(map.out.lanes());
    const Arith sy = y.shares(party);
    map.sum_of_products(out.data(), dx.data(), ShareAccess::words(sy).data(), mx.data(), negated(dy).data());
    return out;
  }
  Words out(map.out.lanes(), 0);
  if (dy.size() <= dx.size()) {
    const Arith sy = y.shares(party);
    map.add_product(out.data(), dx.data(), ShareAccess::words(sy).data());
    map.add_product(out.data(), mx.data(), negated(dy).data());
  } else {
    const Arith sx = x.shares(party);
    map.add_product(out.data(), ShareAccess::words(sx).data(), dy.data());
    map.add_product(out.data(), negated(dx).data(), my.data());
  }
  return out;
}

// Which side of the map a carry term stands on: the pair product is g_x mu_y or mu_x g_y.
enum class Side { left, right };

// The dealer's values for one carry term: h mu for each pair, g = 2^(64-f) h.
template <Side side, class Map>
void pair_products(const Map& map, const Masked::CarryTerm& term, const Words& other_mask, std::uint64_t* out) {
  Words h(term.words.size());
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = term.words[i] >> (64 - term.shift);
  if constexpr (side == Side::left) {
    map.pair_products(out, h.data(), other_mask.data());
  } else {
    map.pair_products(out, other_mask.data(), h.data());
  }
}

// The dealt part of one carry term: [h mu] for each pair, in Z/2^f; at a party the shares of k g mu are added up.
template <Side side, class Map>
void add_carry_term(Party& party, const Map& map, const Masked::CarryTerm& term, const Words& other_mask, Words& out) {
  const Words pairs = party.correlations().deal(map.pairs(), term.shift, [&](std::span<std::uint64_t> values) {
    pair_products<side>(map, term, other_mask, values.data());
  });
  if (!party.holds_shares()) return;
  Words sum(out.size());
  if constexpr (side == Side::left) {
    map.left_pairs(sum.data(), term.words.data(), pairs.data());
  } else {
    map.right_pairs(sum.data(), term.words.data(), pairs.data());
  }
  kernels().scale_add(out.data(), std::uint64_t{1} << (64 - term.shift), sum.data(), out.size());
}

}  // namespace

template <class Map>
PendingProduct pending_product_of(Party& party, const Map& map, const Masked& x, const Masked& y) {
  require_small_cuts(x, y);
  const Words& mx = ShareAccess::mask(x);
  const Words& my = ShareAccess::mask(y);

  // 1. At the dealer, the term B(mux, muy); at a party the local terms.
  Words out(party.deals() ? map.out.lanes() : 0, 0);
  if (party.deals()) map.add_product(out.data(), mx.data(), my.data());
  if (party.holds_shares()) out = local_terms(party, map, x, y);

  // 2. The terms of the public bits of truncated operands.
  for (const Masked::CarryTerm& term : x.carry_terms()) add_carry_term<Side::left>(party, map, term, my, out);
  for (const Masked::CarryTerm& term : y.carry_terms()) add_carry_term<Side::right>(party, map, term, mx, out);
  return PendingProduct(map.out, x.scale() + y.scale(), std::move(out));
}

template PendingProduct pending_product_of(Party&, const Elementwise&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const RowDot&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const RowScale&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const SymmetricMatVec&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const SymmetricOuter&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const MatMul&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const RowOuter&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const SumOfOuters&, const Masked&, const Masked&);
template PendingProduct pending_product_of(Party&, const BlockMatMul&, const Masked&, const Masked&);

Arith materialize(Party& party, PendingProduct value) {
  Words words = std::move(ShareAccess::words(value));
  const auto dealers_term = [&](std::span<std::uint64_t> out) {
    std::fill(std::copy(words.begin(), words.end(), out.begin()), out.end(), 0);
  };
  party.correlations().deal_onto(words, value.lanes(), dealers_term);
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
    kernels().masked_scale_add(words.data(), factor, ShareAccess::words(other).data(), ShareAccess::mask(other).data(),
                               party.adds_constants() ? 1 : 0, words.size());
  }
  return value;
}

}  // namespace sotto::protocols
