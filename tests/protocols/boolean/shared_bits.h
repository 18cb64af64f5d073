// Values in shares for tests. The shares are fixed random words, and the last share completes the value.
#pragma once

#include "sotto/protocol/sharing/bool.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {

inline Words fixed_shares(const Party& party, unsigned bits, const Numbers& values, Group group) {
  std::mt19937_64 random(bits + values.size());
  const NodeId last = party.topology().last_party();
  Words mine(values.begin(), values.end());
  for (NodeId p = 0; p < last; ++p) {
    for (std::uint64_t& word : mine) {
      const std::uint64_t share = random();
      if (party.is(p)) word = share;
      if (party.is(last)) word = group == Group::sum ? word - share : word ^ share;
    }
  }
  for (std::uint64_t& word : mine) word &= ~std::uint64_t{0} >> (64 - bits);
  return mine;
}

inline Bool shared_bits(const Party& party, unsigned width, Numbers values) {
  const Shape shape{1, values.size()};
  if (!party.holds_shares()) return Bool(shape, width);
  return Bool(shape, width, fixed_shares(party, width, values, Group::exclusive_or));
}

inline Arith shared_words(const Party& party, unsigned bits, Numbers values) {
  const Shape shape{1, values.size()};
  if (!party.holds_shares()) return Arith(shape, 0, bits);
  return Arith(shape, 0, fixed_shares(party, bits, values, Group::sum), bits);
}

inline std::uint64_t ones(unsigned width) { return ~std::uint64_t{0} >> (64 - width); }

// `count` words: the edges of a ring of `width` bits, then random words.
inline Numbers test_words(unsigned width, std::size_t count, std::uint64_t seed) {
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  Numbers words{0, 1, top, top - 1, ones(width), ones(width) - 1, 0x5555555555555555u};
  std::mt19937_64 random(seed);
  while (words.size() < count) words.push_back(random());
  words.resize(count);
  for (std::uint64_t& word : words) word &= ones(width);
  return words;
}

inline Numbers shuffled(Numbers words, std::uint64_t seed) {
  std::shuffle(words.begin(), words.end(), std::mt19937_64(seed));
  return words;
}

}  // namespace sotto::protocols::testing
