// truncation_masks: the pads of truncations, which no role knows.
//
// Functionality   r is uniform in Z/2^width, mu = r >> f, the signed shift of width bits, in Z/2^64, and h = the top
//                 bit of r, in Z/2^f. For width 64 these are the values of TruncationPair. r is in additive shares of
//                 the lead and the third party. mu and h are in replicated pieces.
// How             r = u + v. The lead party (replicated_bits.h) knows u, and the second and the third party know v. The
//                 bits of u are the XOR of words of two keys, and the bits of v are words of the third key. With c_i
//                 the carry of u + v into bit i, and low(.) the low width - 1 bits,
//                   h  = u_(width-1) ^ v_(width-1) ^ c_(width-1)
//                   mu = (low(u) >> f) + (low(v) >> f) + c_f - 2^(width-1-f) (c_(width-1) + h)
//                 One ripple adder gives the carries, which become numbers. Each party adds its term of a sharing of
//                 zero to its share of mu, and sends the sum to the party before it. [our own]
// Rounds, bytes   width + 1: width - 1 for the adder, 2 for the conversion. For L lanes each party sends width - 1
//                 planes and 8 L bytes. The lead party also sends 64 L + 2 (65 - width + f) L bits, packed; the second
//                 and the third party also send f L bits each, packed.
// Views           The messages of the adder and of mu are masked by the key that the receiver lacks. The other messages
//                 are masked as in replicated_bits.h. Each party knows two of three pieces of mu and h. The lead party
//                 knows u, and the third party knows v. The second party knows v, and one of the two keys that make u.
// Throws          std::invalid_argument unless 1 <= f <= width - 2 and 3 <= width <= 64.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

[[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, PairKeys& keys, NodeId lead, std::size_t lanes,
                                                     unsigned f, unsigned width, Label label);

// Tiles of lanes: the bits of many numbers, transposed so that registers of any width load consecutive words.
//
// A tile is up to 512 lanes, in w = 8 words of each plane, or fewer words in the last tile. Lane j of a tile is bit j /
// w of the tile's word j mod w. The order of lanes differs from bit_planes.h.

struct LaneTile {
  static constexpr std::size_t most_words = 8;
  static constexpr std::size_t most_lanes = 64 * most_words;
  std::size_t first_lane, lanes;
  std::size_t first_word, words;
};

template <class Part>
void for_each_tile(std::size_t lanes, Part&& part) {
  const std::size_t words = plane_words(lanes);
  for (std::size_t word = 0; word < words; word += LaneTile::most_words) {
    const std::size_t first = 64 * word;
    part(LaneTile{first, std::min(LaneTile::most_lanes, lanes - first), word,
                  std::min(LaneTile::most_words, words - word)});
  }
}

using TileBits = std::array<std::uint64_t, LaneTile::most_lanes>;
void bits_of_tile(TileBits& bits, const Words& plane, const LaneTile& tile);

// The numbers whose `width` planes are the XOR of `a` and `b`, 1 <= width <= 64. An empty list means zeros.
[[nodiscard]] Words numbers_of_tiles(const Words& a, const Words& b, std::size_t lanes, unsigned width);

}  // namespace sotto::protocols
