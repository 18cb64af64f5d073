// Tiles of lanes: bits of many numbers, turned on their side so that registers of any width take words as they lie.
//
// A tile is up to 512 lanes, 8 words of each plane; the last one has as few words w as its lanes take. Lane j of a tile
// is bit j / w of its word j mod w. So a bit of w neighbouring lanes is at one place of w neighbouring words: turning a
// tile moves no word across registers. It is another order of lanes than that of bit_planes.h; the words are as many.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "protocols/preprocessing/recorded/pieces.h"
#include "sotto/protocol/async/pool.h"

namespace sotto::protocols {

struct LaneTile {
  static constexpr std::size_t most_words = 8;
  static constexpr std::size_t most_lanes = 64 * most_words;
  std::size_t first_lane, lanes;
  std::size_t first_word, words;  // of a plane
};

// part(tile) for each tile of that many lanes.
template <class Part>
void for_each_tile(std::size_t lanes, Part&& part) {
  const std::size_t words = plane_words(lanes);
  for (std::size_t word = 0; word < words; word += LaneTile::most_words) {
    const std::size_t first = 64 * word;
    part(LaneTile{first, std::min(LaneTile::most_lanes, lanes - first), word,
                  std::min(LaneTile::most_words, words - word)});
  }
}

// Bits of a tile's lanes, 0 or 1 each. Words behind the last lane are any.
using TileBits = std::array<std::uint64_t, LaneTile::most_lanes>;
void bits_of_tile(TileBits& bits, const Words& plane, const LaneTile& tile);

// The numbers of which the XOR of `a` and `b` holds `width` planes, one after the other, 1 <= width <= 64. No words in
// `b` stand for zeros.
[[nodiscard]] Words numbers_of_tiles(const Words& a, const Words& b, std::size_t lanes, unsigned width);

}  // namespace sotto::protocols
