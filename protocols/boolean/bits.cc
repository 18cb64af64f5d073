#include "sotto/protocol/boolean/bits.h"

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "core/wire/bit_pack.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

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

Words refreshed(Party& party, const Bool& value) {
  const Additive zero = party.preprocessing().zero(value.lanes(), value.width(), Group::exclusive_or);
  Words shares = ShareAccess::words(value);
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] ^= zero.words[i];
  return shares;
}

}  // namespace

Task<Bool> bit_and(Party& party, Bool x, Bool y, Label label) {
  require_same_shape(x.shape(), y.shape(), "AND of shares");
  if (x.width() != y.width()) throw std::invalid_argument("AND of shares: the widths differ");
  const std::size_t lanes = x.lanes();
  const unsigned width = x.width();
  Triples triples = party.preprocessing().triples(lanes, width, Group::exclusive_or);

  const Words opened = co_await OpenPacked(party, masked_operands(x, y, triples), 2 * lanes, width, label);

  co_return combine(party, x.shape(), width, std::move(triples), opened);
}

Bool lowest_bits(const Arith& value) { return Bool(value.shape(), 1, ShareAccess::words(value)); }

Bool xor_of_rows(const Bool& value) {
  const Words& words = ShareAccess::words(value);
  const auto [rows, columns] = value.shape();
  Words sums(words.empty() ? 0 : rows, 0);
  for (std::size_t i = 0; i < words.size(); ++i) sums[i / columns] ^= words[i];
  return Bool(Shape{rows, 1}, value.width(), std::move(sums));
}

Task<Public> open_bool(Party& party, Bool value, Label label) {
  const unsigned width = value.width();
  Words words = co_await OpenPacked(party, refreshed(party, value), value.lanes(), width, label);
  co_return Public(value.shape(), 0, std::move(words), width);
}

Words pack_bits(const Words& lanes, unsigned width) {
  if (lanes.empty() || width == 64) return lanes;
  Words packed(packed_words(lanes.size(), width), 0);
  pack(lanes, width, reinterpret_cast<std::byte*>(packed.data()));
  return packed;
}

Words unpack_bits(const Words& packed, std::size_t lanes, unsigned width) {
  if (packed.empty() || width == 64) return packed;
  Words words(lanes);
  unpack(reinterpret_cast<const std::byte*>(packed.data()), width, words);
  return words;
}

}  // namespace sotto::protocols
