#include "protocols/preprocessing/replicated/replicated.h"

#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::protocols {
namespace {

Words sum_of(const Words& a, const Words& b) {
  Words sum = a;
  kernels().add(sum.data(), b.data(), sum.size());
  return sum;
}

// part(a, b) of two pairs of words whose products add up to those of the pairs of pieces (i, i), (i, i + 1), (i + 1,
// i): each of the nine is at one party. Of the smaller operand both pieces are added up.
template <class Part>
void for_each_part(const WordPieces& x, const WordPieces& y, Part&& part) {
  if (y.lanes <= x.lanes) {
    part(x.own, sum_of(y.own, y.next));
    part(x.next, y.own);
  } else {
    part(sum_of(x.own, x.next), y.own);
    part(x.own, y.next);
  }
}

}  // namespace

Additive local_product(const BilinearMap& map, const WordPieces& x, const WordPieces& y) {
  require_argument(x.lanes == map.left.lanes() && y.lanes == map.right.lanes(), "operands of another shape");
  if (x.own.empty() || y.own.empty()) return {};
  Additive product{Words(map.out.lanes(), 0)};
  for_each_part(x, y,
                [&](const Words& a, const Words& b) { map.add_product(product.words.data(), a.data(), b.data()); });
  return product;
}

Additive local_pairs(const BilinearMap& map, const WordPieces& x, const WordPieces& y) {
  require_argument(x.lanes == map.left.lanes() && y.lanes == map.right.lanes(), "operands of another shape");
  if (x.own.empty() || y.own.empty()) return {};
  Additive sum;
  for_each_part(x, y, [&](const Words& a, const Words& b) {
    Words pairs(map.pairs());
    map.pair_products(pairs.data(), a.data(), b.data());
    if (sum.words.empty()) {
      sum.words = std::move(pairs);
    } else {
      kernels().add(sum.words.data(), pairs.data(), pairs.size());
    }
  });
  return sum;
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
