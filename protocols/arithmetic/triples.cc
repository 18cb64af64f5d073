#include "sotto/protocol/arithmetic/triples.h"

#include <stdexcept>
#include <utility>

#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

// This party's shares of x - a, then those of y - b.
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

Task<Arith> multiply_with_triples(Party& party, Arith x, Arith y, Label label) {
  require_same_shape(x.shape(), y.shape(), "product of shares");
  if (x.bits() != y.bits()) throw std::invalid_argument("product of shares: the rings differ");
  const std::size_t lanes = x.lanes();
  const unsigned bits = x.bits();
  Triples triples = party.preprocessing().triples(lanes, bits, Group::sum);

  // 1. Open d and e.
  Words opened = masked_operands(x, y, triples);
  const Slot slot{label, SlotKind::open, bits, 2 * lanes};
  co_await Exchange(party.rounds(), slot, opened, opened);

  // 2. The share of x y.
  Words shares = combine(party, std::move(triples), opened, bits);
  co_return Arith(x.shape(), x.scale() + y.scale(), std::move(shares), bits);
}

}  // namespace sotto::protocols
