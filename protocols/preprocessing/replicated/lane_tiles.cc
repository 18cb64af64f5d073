#include "protocols/preprocessing/replicated/lane_tiles.h"

namespace sotto::protocols {
namespace {

// Row k is bit k of the tile's lanes, before it is turned.
using Rows = std::array<std::array<std::uint64_t, LaneTile::most_words>, 64>;

// In each column bit i of row k becomes bit k of row i. [Warren, Hacker's Delight, 7-3]
void turn(Rows& rows) {
  std::uint64_t low = 0x00000000ffffffffu;
  for (unsigned half = 32; half != 0; half >>= 1, low ^= low << half) {
    for (unsigned k = 0; k < 64; k = ((k | half) + 1) & ~half) {
      for (std::size_t column = 0; column < LaneTile::most_words; ++column) {
        std::uint64_t& upper = rows[k][column];
        std::uint64_t& lower = rows[k | half][column];
        const std::uint64_t difference = ((upper >> half) ^ lower) & low;
        upper ^= difference << half;
        lower ^= difference;
      }
    }
  }
}

// With the count known when it is compiled, a row of a whole tile is a register or a few.
template <class PerRow>
void for_each_row(std::size_t words, PerRow&& per_row) {
  for (std::size_t k = 0; k < 64; ++k) {
    if (words == LaneTile::most_words) {
      per_row(k, LaneTile::most_words);
    } else {
      per_row(k, words);
    }
  }
}

}  // namespace

void bits_of_tile(TileBits& bits, const Words& plane, const LaneTile& tile) {
  const std::uint64_t* const words = plane.data() + tile.first_word;
  for_each_row(tile.words, [&](std::size_t k, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bits[k * count + i] = words[i] >> k & 1;
  });
}

Words numbers_of_tiles(const Words& a, const Words& b, std::size_t lanes, unsigned width) {
  const std::size_t words = plane_words(lanes);
  Words numbers(lanes);
  for_each_tile(lanes, [&](const LaneTile& tile) {
    Rows rows{};
    for (unsigned p = 0; p < width; ++p) {
      const std::size_t at = p * words + tile.first_word;
      for (std::size_t i = 0; i < tile.words; ++i) rows[p][i] = b.empty() ? a[at + i] : a[at + i] ^ b[at + i];
    }
    turn(rows);
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t first = k * tile.words;
      if (first >= tile.lanes) break;
      std::copy_n(rows[k].begin(), std::min(tile.words, tile.lanes - first),
                  numbers.begin() + static_cast<std::ptrdiff_t>(tile.first_lane + first));
    }
  });
  return numbers;
}

}  // namespace sotto::protocols
