// Lanes of a few bits, packed without gaps for a link.
//
// Lane i is the bits i*bits .. (i+1)*bits - 1 of the byte string, least significant first. Bit j is bit j mod 8 of byte
// j / 8. The last byte is filled up with zeros. All functions throw std::invalid_argument if `bits` is not 1 to 64, or
// the size is too large for any memory. A caller must first check that a peer has sent packed_bytes() bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sotto {

[[nodiscard]] std::size_t packed_bytes(std::size_t lanes, unsigned bits);

// Writes the low `bits` bits of each lane to packed_bytes(lanes.size(), bits) bytes at `out`.
void pack(std::span<const std::uint64_t> lanes, unsigned bits, std::byte* out);

// Reads packed_bytes(lanes.size(), bits) bytes at `in`: lanes[i] = lane i, below 2^bits.
void unpack(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes);

// lanes[i] = (lanes[i] + lane i) mod 2^bits.
void unpack_add(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes);

// pack() and unpack() for lanes of 1 to 8 bits, each lane in a byte.
void pack_bytes(std::span<const std::uint8_t> lanes, unsigned bits, std::byte* out);

void unpack_bytes(const std::byte* in, unsigned bits, std::span<std::uint8_t> lanes);

// Lane number `lane` of `packed`, by the same instructions for every lane.
[[nodiscard]] inline std::uint64_t packed_lane(std::span<const std::byte> packed, unsigned bits, std::size_t lane) {
  const std::size_t offset = lane * bits;
  const std::size_t first = offset / 8;
  const std::size_t width = std::min(packed.size(), sizeof(std::uint64_t));
  const std::size_t begin = std::min(first, packed.size() - width);
  const auto shift = static_cast<unsigned>(offset - 8 * begin);
  std::uint64_t word = 0;
  if (width == sizeof(word)) {
    std::memcpy(&word, packed.data() + begin, sizeof(word));
  } else {
    std::memcpy(&word, packed.data() + begin, width);
  }
  word >>= shift;
  if (bits > 57) {  // the lane may end in a ninth byte
    const auto ninth = static_cast<std::uint64_t>(packed[std::min(begin + width, packed.size() - 1)]);
    word |= (ninth << 1) << (63 - shift);
  }
  return word & (~std::uint64_t{0} >> (64 - bits));
}

}  // namespace sotto
