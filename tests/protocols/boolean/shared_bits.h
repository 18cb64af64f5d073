// XOR-shared test values: fixed random shares, the last party's makes up the value.
#pragma once

#include <algorithm>

#include "sotto/core/sharing/bool.h"
#include "sotto/protocols/boolean/open_bool.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {

inline Bool shared_bits(const Party& party, unsigned width, Numbers values) {
  const Shape shape{1, values.size()};
  if (!party.holds_shares()) return Bool(shape, width);
  std::mt19937_64 random(width + values.size());
  const NodeId last = party.topology().last_party();
  Words mine(values.begin(), values.end());
  for (NodeId p = 0; p < last; ++p) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t share = random();
      if (party.is(p)) mine[i] = share;
      if (party.is(last)) mine[i] ^= share;
    }
  }
  return Bool(shape, width, std::move(mine));
}

// Additive shares of test values in Z/2^bits, fixed and random.
inline Arith shared_words(const Party& party, unsigned bits, Numbers values) {
  const Shape shape{1, values.size()};
  if (!party.holds_shares()) return Arith(shape, 0, bits);
  const std::uint64_t ring = ~std::uint64_t{0} >> (64 - bits);
  std::mt19937_64 random(bits + values.size());
  const NodeId last = party.topology().last_party();
  Words mine(values.begin(), values.end());
  for (NodeId p = 0; p < last; ++p) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t share = random();
      if (party.is(p)) mine[i] = share;
      if (party.is(last)) mine[i] -= share;
    }
  }
  for (std::uint64_t& word : mine) word &= ring;
  return Arith(shape, 0, std::move(mine), bits);
}

inline Task<Numbers> opened(Party& party, Bool value) {
  const Public result = co_await open_bool(party, std::move(value), "test result");
  co_return words_of(result);
}

inline std::uint64_t ones(unsigned width) { return ~std::uint64_t{0} >> (64 - width); }

// Edges of a ring of `width` bits and `count` random words.
inline Numbers test_words(unsigned width, std::size_t count, std::uint64_t seed) {
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  Numbers words{0, 1, top, top - 1, ones(width), ones(width) - 1, 0x5555555555555555u};
  std::mt19937_64 random(seed);
  while (words.size() < count) words.push_back(random());
  words.resize(count);
  for (std::uint64_t& word : words) word &= ones(width);
  return words;
}

// The same words, in an order that puts each edge beside each other edge somewhere.
inline Numbers shuffled(Numbers words, std::uint64_t seed) {
  std::shuffle(words.begin(), words.end(), std::mt19937_64(seed));
  return words;
}

}  // namespace sotto::protocols::testing
