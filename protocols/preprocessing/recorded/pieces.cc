#include "protocols/preprocessing/recorded/pieces.h"

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

void add_words(Words& to, const Words& from, std::uint64_t ring) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = (to[i] + from[i]) & ring;
}

void xor_words(Words& to, const Words& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] ^= from[i];
}

}  // namespace

Words slice(const Words& words, std::size_t first, std::size_t count) {
  if (words.empty()) return {};
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
  return Words(begin, begin + static_cast<std::ptrdiff_t>(count));
}

WordPieces operator+(WordPieces x, const WordPieces& y) {
  require_argument(x.lanes == y.lanes && x.bits == y.bits, "a sum of pieces of other sizes");
  add_words(x.own, y.own, ring_mask(x.bits));
  add_words(x.next, y.next, ring_mask(x.bits));
  return x;
}

BitPieces operator^(BitPieces x, const BitPieces& y) {
  require_argument(x.lanes == y.lanes, "an XOR of pieces of other sizes");
  xor_words(x.own, y.own);
  xor_words(x.next, y.next);
  return x;
}

}  // namespace sotto::protocols
