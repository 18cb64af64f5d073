#include "sotto/protocol/arithmetic/selection.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

Words signs_of(const MaskedBits& bits) {
  Words signs(bits.words.size());
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = 1 - 2 * bits.words[i];
  return signs;
}

}  // namespace

bool selects_by_bits(const Party& party) { return party.preprocessing().selects_by_bits(); }

Task<MaskedBits> share_bits(Party& party, NodeId owner, Input input, Label label) {
  const std::size_t lanes = input.shape.lanes();
  InputMask mask = party.preprocessing().input_mask(owner, lanes);
  MaskedBits bits{input.shape, {}, {std::move(mask.mask.words)}, {}};
  bits.numbers = party.preprocessing().bits_as_numbers(bits.beta, 0, lanes, 0, 64);
  Words packed(party.holds_shares() ? packed_words(lanes, 1) : 0, 0);
  if (party.is(owner)) {
    require_argument(input.words.size() == lanes, "the owner's input needs a word a lane");
    for (std::size_t i = 0; i < lanes; ++i) input.words[i] = (input.words[i] ^ mask.known[i]) & 1;
    packed = pack_bits(input.words, 1);
  }
  const Slot slot{label, SlotKind::broadcast, 64, packed_words(lanes, 1), owner, Group::exclusive_or};
  co_await Exchange(party.rounds(), slot, packed, packed);
  if (party.holds_shares()) bits.words = unpack_bits(packed, lanes, 1);
  co_return bits;
}

Task<MaskedBits> mask_bits(Party& party, const Arith& bits, Label label) {
  require_argument(bits.bits() == 64, "only bits in Z/2^64 are masked to select");
  const std::size_t lanes = bits.lanes();
  MaskedBits masked{bits.shape(), ShareAccess::words(bits), {party.preprocessing().mask(lanes, 64).words}, {}};
  masked.numbers = party.preprocessing().bits_as_numbers(masked.beta, 0, lanes, 0, 64);
  for (std::size_t i = 0; i < masked.words.size(); ++i) {
    masked.words[i] = (masked.words[i] + masked.beta.words[i]) & 1;
  }
  const Slot slot{label, SlotKind::open, 1, lanes};
  co_await Exchange(party.rounds(), slot, masked.words, masked.words);
  co_return masked;
}

Task<MaskedBits> mask_bits(Party& party, Bool bits, Label label) {
  require_argument(bits.width() == 1, "XOR shares of one bit are masked to select");
  const std::size_t lanes = bits.lanes();
  MaskedBits masked{bits.shape(), std::move(ShareAccess::words(bits)), party.preprocessing().random_bits(lanes, 1), {}};
  masked.numbers = party.preprocessing().bits_as_numbers(masked.beta, 0, lanes, 0, 64);
  for (std::size_t i = 0; i < masked.words.size(); ++i) masked.words[i] ^= masked.beta.words[i];
  masked.words = co_await OpenPacked(party, masked.words, lanes, 1, label);
  co_return masked;
}

Arith shares_of(const Party& party, const MaskedBits& bits) {
  if (!party.holds_shares()) return Arith(bits.shape, 0);
  Words shares(bits.words.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = (1 - 2 * bits.words[i]) * bits.numbers.words[i] + (party.adds_constants() ? bits.words[i] : 0);
  }
  return Arith(bits.shape, 0, std::move(shares));
}

Bool xor_shares_of(const Party& party, const MaskedBits& bits) {
  if (!party.holds_shares()) return Bool(bits.shape, 1);
  Words shares = bits.beta.words;
  for (std::size_t i = 0; party.adds_constants() && i < shares.size(); ++i) shares[i] ^= bits.words[i];
  return Bool(bits.shape, 1, std::move(shares));
}

MaskedBits first_rows(const MaskedBits& bits, std::size_t rows) {
  require_argument(rows <= bits.shape.rows, "rows that there are");
  MaskedBits first = bits;
  first.shape.rows = rows;
  for (Words* const words : {&first.words, &first.beta.words, &first.numbers.words}) {
    words->resize(std::min(words->size(), first.shape.lanes()));
  }
  return first;
}

Arith select(Party& party, const BilinearMap& map, const MaskedBits& bits, const Masked& y) {
  require_argument(bits.shape == map.left && y.shape() == map.right && y.plain(),
                   "bits select of a plain masked value, in the shapes of the map");
  const Additive products = party.preprocessing().bit_product(map, bits.beta, ShareAccess::mask(y));
  if (!party.holds_shares()) return Arith(map.out, y.scale());
  Words turned(bits.words.size());
  Words sum(map.out.lanes());
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = 2 * bits.words[i] - 1;
  map.left_pairs(sum.data(), turned.data(), products.words.data());
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = (0 - turned[i]) * bits.numbers.words[i];
  map.add_product(sum.data(), turned.data(), ShareAccess::words(y).data());
  const Arith shares = y.shares(party);
  map.add_product(sum.data(), bits.words.data(), ShareAccess::words(shares).data());
  return Arith(map.out, y.scale(), std::move(sum));
}

Arith both(Party& party, const BilinearMap& map, const MaskedBits& left, const MaskedBits& right) {
  require_argument(left.shape == map.left && right.shape == map.right, "bits of both sides, in the shapes of the map");
  require_argument(party.topology().has_dealer(), "without a dealer bits are not multiplied by bits");
  const Additive products = party.preprocessing().bit_product(map, left.beta, Mask{right.numbers.words});
  if (!party.holds_shares()) return Arith(map.out, 0);
  Words signs = signs_of(left);
  Words pairs(map.pairs());
  map.pair_products(pairs.data(), signs.data(), signs_of(right).data());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] *= products.words[i];
  Words sum(map.out.lanes());
  map.left_pairs(sum.data(), Words(signs.size(), 1).data(), pairs.data());
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] *= left.numbers.words[i];
  map.add_product(sum.data(), signs.data(), right.words.data());
  const Arith shares = shares_of(party, right);
  map.add_product(sum.data(), left.words.data(), ShareAccess::words(shares).data());
  return Arith(map.out, 0, std::move(sum));
}

}  // namespace sotto::protocols
