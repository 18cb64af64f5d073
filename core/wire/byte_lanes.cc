#include "sotto/core/wire/byte_lanes.h"

#include <algorithm>
#include <stdexcept>

namespace sotto {
namespace {

// The low b bits of each of 8 bytes, put together: twice as wide neighbours in each step.
template <unsigned b>
std::uint64_t gathered(std::uint64_t x) {
  constexpr std::uint64_t low_bits = 0x0101010101010101u * ((1u << b) - 1);
  constexpr std::uint64_t even_bytes = 0x00ff00ff00ff00ffu;
  constexpr std::uint64_t even_pairs = 0x0000ffff0000ffffu;
  x &= low_bits;
  x = (x & even_bytes) | ((x & ~even_bytes) >> (8 - b));
  x = (x & even_pairs) | ((x & ~even_pairs) >> (16 - 2 * b));
  return (x & 0xffffffffu) | ((x >> 32) << (4 * b));
}

template <unsigned b>
void pack_width(std::span<const std::uint8_t> lanes, std::byte* out) {
  const std::size_t eights = lanes.size() / 8;
  const std::size_t bytes = (lanes.size() * b + 7) / 8;
  std::uint64_t word = 0;
  // Whole words are written where they stay inside: the next one covers the excess.
  const std::size_t whole = bytes < 8 ? 0 : std::min(eights, (bytes - 8) / b + 1);
  std::size_t i = 0;
  for (; i < whole; ++i) {
    std::memcpy(&word, lanes.data() + 8 * i, 8);
    word = gathered<b>(word);
    std::memcpy(out + i * b, &word, 8);
  }
  for (; 8 * i < lanes.size(); ++i) {
    const std::size_t rest = std::min<std::size_t>(8, lanes.size() - 8 * i);
    word = 0;
    std::memcpy(&word, lanes.data() + 8 * i, rest);
    word = gathered<b>(word);
    std::memcpy(out + i * b, &word, (rest * b + 7) / 8);
  }
}

}  // namespace

void pack_bytes(std::span<const std::uint8_t> lanes, unsigned bits, std::byte* out) {
  switch (bits) {
    case 1:
      return pack_width<1>(lanes, out);
    case 2:
      return pack_width<2>(lanes, out);
    case 3:
      return pack_width<3>(lanes, out);
    case 4:
      return pack_width<4>(lanes, out);
    case 5:
      return pack_width<5>(lanes, out);
    case 6:
      return pack_width<6>(lanes, out);
    case 7:
      return pack_width<7>(lanes, out);
    case 8:
      return pack_width<8>(lanes, out);
    default:
      throw std::invalid_argument("a lane that is held in a byte has 1 to 8 bits");
  }
}

}  // namespace sotto
