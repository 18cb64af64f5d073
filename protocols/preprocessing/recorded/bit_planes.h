// Bit planes: transposed numbers, with the bits of 64 lanes in a word, so that one AND of words is an AND of 64 lanes.
//
// Plane b of `lanes` numbers has plane_words(lanes) words: bit i mod 64 of the plane's word i / 64 is bit b of number
// i. Planes are stored one after another, the lowest bit first. Bits after the last lane are zero.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocol/async/pool.h"

namespace sotto::protocols {

// The planes of bits 0 .. width - 1 of the numbers, 1 <= width <= 64.
[[nodiscard]] Words planes_of(const Words& numbers, unsigned width);
// The numbers whose planes are `planes`, which has `width` planes.
[[nodiscard]] Words numbers_of(const Words& planes, std::size_t lanes, unsigned width);

// The planes one after another, each padded to whole words: the operand of one AND, or one message.
[[nodiscard]] BitPieces joined(const NumberPieces& planes);
// Separates a sequence made by joined() into planes of `lanes` lanes.
[[nodiscard]] NumberPieces separated(const BitPieces& planes, std::size_t count, std::size_t lanes);

// Lanes `first` to `first` + `count` - 1 of a plane.
[[nodiscard]] BitPieces some_lanes(const BitPieces& plane, std::size_t first, std::size_t count);

// Appends the lanes of `more` to `to`.
void append_lanes(BitPieces& to, const BitPieces& more);

}  // namespace sotto::protocols
