#include "protocols/preprocessing/replicated/replicated.h"

#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {
namespace {

Words sum_of(const Words& a, const Words& b) {
  Words sum = a;
  kernels().add(sum.data(), b.data(), sum.size());
  return sum;
}

// Calls part(a, b) for two pairs of words. The products a b add up to the products of the pieces (i, i), (i, i + 1) and
// (i + 1, i). So exactly one party computes each of the nine products of pieces.
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

Task<Words> pass(Party& party, NodeId (*receiver_of)(NodeId), Words mine, std::size_t words, Label label) {
  if (words == 0) co_return Words{};
  PoolVector<Task<Words>> deliveries;
  for (NodeId from = 0; from < replicated_parties; ++from) {
    Words sent = party.is(from) ? std::move(mine) : Words{};
    deliveries.push_back(deliver(party, from, receiver_of(from), std::move(sent), words, label));
  }
  PoolVector<Words> received = co_await when_all(std::move(deliveries));
  for (Words& got : received) {
    if (!got.empty()) co_return std::move(got);
  }
  co_return Words{};
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

Task<Words> pass_back(Party& party, Words mine, std::size_t words, Label label) {
  return pass(party, &previous_of, std::move(mine), words, label);
}

Task<Words> pass_on(Party& party, Words mine, std::size_t words, Label label) {
  return pass(party, &next_of, std::move(mine), words, label);
}

}  // namespace sotto::protocols
