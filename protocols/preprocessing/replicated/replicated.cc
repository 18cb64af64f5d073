#include "sotto/protocols/preprocessing/replicated/replicated.h"

#include "sotto/core/error/errors.h"
#include "sotto/core/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

void add_words(Words& to, const Words& from, std::uint64_t ring) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = (to[i] + from[i]) & ring;
}

// Sums of x_i y_j over the pairs of pieces (i, i), (i, i + 1), (i + 1, i): each of the nine is at one party.
// `multiply(x, y)` gives products to be added up.
template <class Multiply>
Words sum_of_pieces(const WordPieces& x, const WordPieces& y, Multiply&& multiply) {
  Words both = y.own;
  add_words(both, y.next, ~std::uint64_t{0});
  Words sum = multiply(x.own, both);
  add_words(sum, multiply(x.next, y.own), ~std::uint64_t{0});
  return sum;
}

}  // namespace

Additive local_product(const BilinearMap& map, const WordPieces& x, const WordPieces& y) {
  require_argument(x.lanes == map.left.lanes() && y.lanes == map.right.lanes(), "operands of another shape");
  if (x.own.empty() || y.own.empty()) return {};
  return Additive{sum_of_pieces(x, y, [&](const Words& a, const Words& b) {
    Words product(map.out.lanes(), 0);
    map.add_product(product.data(), a.data(), b.data());
    return product;
  })};
}

Additive local_pairs(const BilinearMap& map, const WordPieces& x, const WordPieces& y) {
  require_argument(x.lanes == map.left.lanes() && y.lanes == map.right.lanes(), "operands of another shape");
  if (x.own.empty() || y.own.empty()) return {};
  return Additive{sum_of_pieces(x, y, [&](const Words& a, const Words& b) {
    Words pairs(map.pairs());
    map.pair_products(pairs.data(), a.data(), b.data());
    return pairs;
  })};
}

Words local_and(const BitPieces& x, const BitPieces& y) {
  require_argument(x.lanes == y.lanes, "an AND of replicated bits of other sizes");
  Words result(x.own.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = (x.own[i] & (y.own[i] ^ y.next[i])) ^ (x.next[i] & y.own[i]);
  }
  return result;
}

}  // namespace sotto::protocols
