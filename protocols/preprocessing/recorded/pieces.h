// Pieces: values that parties hold together without a dealer, as summands of which each party has some.
//
// A party has its own piece of each value. Of three parties it also has its next one, the own piece of the party after
// it (replicated/replicated.h); of two parties it has no other, and `next` is empty. Sums and multiples by public
// numbers are local. A role that holds nothing has the sizes alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/protocol/async/pool.h"

namespace sotto::protocols {

// Numbers in Z/2^bits, the pieces add up to them.
struct WordPieces {
  std::size_t lanes;
  unsigned bits;
  Words own, next;
};

// A bit a lane, the pieces XOR to them: lane i is bit i mod 64 of word i / 64. Bits behind the last lane are any.
struct BitPieces {
  std::size_t lanes = 0;
  Words own, next;
};

// The bits of numbers, the lowest first.
using NumberPieces = PoolVector<BitPieces>;

// Words of a bit a lane.
[[nodiscard]] constexpr std::size_t plane_words(std::size_t lanes) { return (lanes + 63) / 64; }

// `count` words from `first` on; nothing of nothing.
[[nodiscard]] Words slice(const Words& words, std::size_t first, std::size_t count);

// Sizes must agree (std::invalid_argument).
[[nodiscard]] WordPieces operator+(WordPieces x, const WordPieces& y);
[[nodiscard]] BitPieces operator^(BitPieces x, const BitPieces& y);

}  // namespace sotto::protocols
