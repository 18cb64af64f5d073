#include "protocols/preprocessing/replicated/and_bits.h"

#include <utility>

#include "protocols/preprocessing/replicated/pass.h"

namespace sotto::protocols {

Task<BitPieces> and_bits(Party& party, PairKeys& keys, BitPieces x, BitPieces y, Label label) {
  const std::size_t words = plane_words(x.lanes);
  BitPieces result{x.lanes, local_and(x, y), {}};
  const Words zero = keys.zero(words, 64, Group::exclusive_or);
  for (std::size_t i = 0; i < result.own.size(); ++i) result.own[i] ^= zero[i];
  // Under F(K_(i+1)), which party i - 1 lacks.
  result.next = co_await pass_back(party, result.own, words, label);
  co_return result;
}

Task<Words> open_bits(Party& party, BitPieces bits, Label label) {
  // In clear: what is opened gives the receiver this piece anyway.
  Words opened = co_await pass_on(party, bits.own, plane_words(bits.lanes), label);
  for (std::size_t i = 0; i < opened.size(); ++i) opened[i] ^= bits.own[i] ^ bits.next[i];
  co_return opened;
}

BitPieces complement(const PairKeys& keys, BitPieces bits) {
  if (!keys.self()) return bits;
  if (*keys.self() == 0) {
    for (std::uint64_t& word : bits.own) word = ~word;
  } else if (next_of(*keys.self()) == 0) {
    for (std::uint64_t& word : bits.next) word = ~word;
  }
  return bits;
}

}  // namespace sotto::protocols
