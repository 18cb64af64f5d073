#include "protocols/arithmetic/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/async/when_all.h"
#include "core/ring/fixed_point.h"
#include "core/sharing/share_access.h"
#include "protocols/io/mask.h"

namespace sotto::protocols {
namespace {

void require_small_cuts(const Masked& x, const Masked& y) {
  if (x.plain() || y.plain() || x.largest_cut() + y.largest_cut() <= 64) return;
  throw std::invalid_argument(
      fmt::format("a product of values cut at {} and {} bits: the sum must not exceed 64, mask one "
                  "of them afresh",
                  x.largest_cut(), y.largest_cut()));
}

Words negated(const Words& words) {
  Words result(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) result[i] = std::uint64_t{0} - words[i];
  return result;
}

// Which side of the map a cut stands on: the pair product is g_x mu_y or mu_x g_y.
enum class Side { left, right };

// The dealt part of one cut: [h mu] for each pair, in Z/2^f; at a party the shares of k g mu are
// added up.
template <class Map, Side side>
void add_cut(Party& party, const Map& map, const Masked::Cut& cut, const Words& other_mask,
             Words& out) {
  const unsigned lift = 64 - cut.shift;
  const Words pairs =
      party.correlations().deal(map.pairs(), cut.shift, [&](std::span<std::uint64_t> values) {
        std::size_t pair = 0;
        map.for_each([&](std::size_t, std::size_t i, std::size_t j) {
          const std::uint64_t g = cut.words[side == Side::left ? i : j];
          values[pair++] = (g >> lift) * other_mask[side == Side::left ? j : i];
        });
      });
  if (!party.holds_shares()) return;
  std::size_t pair = 0;
  map.for_each([&](std::size_t o, std::size_t i, std::size_t j) {
    out[o] += cut.words[side == Side::left ? i : j] * (pairs[pair++] << lift);
  });
}

}  // namespace

template <class Map>
Folded folded_product(Party& party, const Map& map, const Masked& x, const Masked& y) {
  require_small_cuts(x, y);
  const Words& mx = ShareAccess::mask(x);
  const Words& my = ShareAccess::mask(y);
  Words out(party.holds_shares() || party.deals() ? map.out.lanes() : 0, 0);

  // 1. At the dealer, the term B(mux, muy).
  if (party.deals()) map.add_product(out.data(), mx.data(), my.data());

  // 2. At a party the local terms: B(Dx, sy) - B(mx, Dy), where sy is this party's share of y.
  if (party.holds_shares()) {
    const Arith y_shares = y.shares(party);
    map.add_product(out.data(), ShareAccess::words(x).data(), ShareAccess::words(y_shares).data());
    map.add_product(out.data(), negated(mx).data(), ShareAccess::words(y).data());
  }

  // 3. What the public bits of truncated operands bring in.
  for (const Masked::Cut& cut : x.cuts()) add_cut<Map, Side::left>(party, map, cut, my, out);
  for (const Masked::Cut& cut : y.cuts()) add_cut<Map, Side::right>(party, map, cut, mx, out);
  return Folded(map.out, x.scale() + y.scale(), std::move(out));
}

template Folded folded_product(Party&, const Elementwise&, const Masked&, const Masked&);
template Folded folded_product(Party&, const RowDot&, const Masked&, const Masked&);
template Folded folded_product(Party&, const RowScale&, const Masked&, const Masked&);
template Folded folded_product(Party&, const SymmetricMatVec&, const Masked&, const Masked&);
template Folded folded_product(Party&, const SymmetricOuter&, const Masked&, const Masked&);
template Folded folded_product(Party&, const MatMul&, const Masked&, const Masked&);

Arith unfold(Party& party, Folded value) {
  Words words = std::move(ShareAccess::words(value));
  const Words dealt =
      party.correlations().deal(value.lanes(), 64, [&](std::span<std::uint64_t> out) {
        if (words.empty()) words.assign(out.size(), 0);
        std::copy(words.begin(), words.end(), out.begin());
      });
  if (!party.holds_shares()) return Arith(value.shape(), value.scale());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] += dealt[i];
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
  auto [masked_x, masked_y] =
      co_await when_all(mask(party, std::move(x), label), mask(party, std::move(y), label));
  co_return elementwise(party, masked_x, masked_y);
}

Arith plus(const Party& party, Arith value, std::uint64_t constant) {
  if (party.adds_constants()) {
    const std::uint64_t ring = ring_mask(value.bits());
    for (std::uint64_t& word : ShareAccess::words(value)) word = (word + constant) & ring;
  }
  return value;
}

Folded plus(const Party& party, Folded value, std::uint64_t constant) {
  if (party.adds_constants()) {
    for (std::uint64_t& word : ShareAccess::words(value)) word += constant;
  }
  return value;
}

}  // namespace sotto::protocols
