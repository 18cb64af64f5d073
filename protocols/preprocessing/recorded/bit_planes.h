// Bit planes: transposed numbers, so that one AND of words is an AND of 64 lanes. Bit i mod 64 of word i / 64 of plane
// b is bit b of number i. Bits after the last lane are zero.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/pool.h"

namespace sotto::protocols {

// The planes of bits 0 .. width - 1, one after another, 1 <= width <= 64.
[[nodiscard]] Words planes_of(const Words& numbers, unsigned width);
[[nodiscard]] Words numbers_of(const Words& planes, std::size_t lanes, unsigned width);

// The planes one after another, each padded to whole words.
[[nodiscard]] BitPieces joined(const NumberPieces& planes);
[[nodiscard]] NumberPieces separated(const BitPieces& planes, std::size_t count, std::size_t lanes);

[[nodiscard]] BitPieces some_lanes(const BitPieces& plane, std::size_t first, std::size_t count);

void append_lanes(BitPieces& to, const BitPieces& more);

}  // namespace sotto::protocols
