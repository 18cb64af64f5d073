// Lanes of `width` bits packed into 64-bit words without gaps, as Boolean openings travel: a thousand comparison bits
// are 125 bytes, not a thousand.
//
// Packing is XOR-linear, so shares are packed, exchanged and combined as words, and unpacked after.
#pragma once

#include <cstddef>

#include "sotto/protocol/async/pool.h"

namespace sotto::protocols {

// Words that `lanes` lanes of `width` bits take.
[[nodiscard]] constexpr std::size_t packed_words(std::size_t lanes, unsigned width) {
  return (lanes * width + 63) / 64;
}

// Both keep an empty vector empty: a role that holds nothing packs nothing.
[[nodiscard]] Words pack_bits(const Words& lanes, unsigned width);
[[nodiscard]] Words unpack_bits(const Words& packed, std::size_t lanes, unsigned width);

}  // namespace sotto::protocols
