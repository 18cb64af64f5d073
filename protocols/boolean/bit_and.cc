#include "sotto/protocol/boolean/bit_and.h"

#include <stdexcept>
#include <utility>

#include "sotto/protocol/boolean/packed_bits.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

// This party's shares of x ^ a, then those of y ^ b.
Words masked_operands(const Bool& x, const Bool& y, const Triples& triples) {
  const Words& xs = ShareAccess::words(x);
  const Words& ys = ShareAccess::words(y);
  const std::size_t lanes = xs.size();
  Words result(2 * lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    result[i] = xs[i] ^ triples.a.words[i];
    result[lanes + i] = ys[i] ^ triples.b.words[i];
  }
  return result;
}

Bool combine(const Party& party, Shape shape, unsigned width, Triples triples, const Words& opened) {
  if (!party.holds_shares()) return Bool(shape, width);
  const std::size_t lanes = shape.lanes();
  const std::uint64_t first = party.adds_constants() ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::uint64_t d = opened[i];
    const std::uint64_t e = opened[lanes + i];
    triples.c.words[i] ^= (d & triples.b.words[i]) ^ (e & triples.a.words[i]) ^ (d & e & first);
  }
  return Bool(shape, width, std::move(triples.c.words));
}

}  // namespace

Task<Bool> bit_and(Party& party, Bool x, Bool y, Label label) {
  require_same_shape(x.shape(), y.shape(), "AND of shares");
  if (x.width() != y.width()) throw std::invalid_argument("AND of shares: the widths differ");
  const std::size_t lanes = x.lanes();
  const unsigned width = x.width();
  Triples triples = party.preprocessing().triples(lanes, width, Group::exclusive_or);

  // 1. Open d and e.
  Words packed = pack_bits(masked_operands(x, y, triples), width);
  const Slot slot{label, SlotKind::open, 64, packed_words(2 * lanes, width), 0, Group::exclusive_or};
  co_await Exchange(party.rounds(), slot, packed, packed);

  // 2. The share of x & y.
  const Words opened = unpack_bits(packed, 2 * lanes, width);
  co_return combine(party, x.shape(), width, std::move(triples), opened);
}

}  // namespace sotto::protocols
