#include "core/wire/bit_pack.h"

#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/ring/fixed_point.h"

namespace sotto {

static_assert(std::endian::native == std::endian::little,
              "the wire is little-endian; other machines need byte swaps here");

namespace {

struct Store {
  static void put(std::uint64_t& lane, std::uint64_t value, std::uint64_t /*mask*/) {
    lane = value;
  }
};
struct Add {
  static void put(std::uint64_t& lane, std::uint64_t value, std::uint64_t mask) {
    lane = (lane + value) & mask;
  }
};

// Lanes of whole bytes.
template <class Raw>
void pack_whole(std::span<const std::uint64_t> lanes, std::byte* out) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto raw = static_cast<Raw>(lanes[i]);
    std::memcpy(out + i * sizeof(Raw), &raw, sizeof(Raw));
  }
}

template <class Put, class Raw>
void unpack_whole(const std::byte* in, std::span<std::uint64_t> lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    Raw raw;
    std::memcpy(&raw, in + i * sizeof(Raw), sizeof(Raw));
    Put::put(lanes[i], raw, std::numeric_limits<Raw>::max());
  }
}

// Collects lanes in a word and writes it when it is full.
void pack_any(std::span<const std::uint64_t> lanes, unsigned bits, std::byte* out) {
  const std::uint64_t mask = ring_mask(bits);
  std::uint64_t word = 0;
  unsigned filled = 0;  // bits of `word` in use, below 64
  for (const std::uint64_t lane : lanes) {
    const std::uint64_t value = lane & mask;
    word |= value << filled;
    filled += bits;
    if (filled >= 64) {
      std::memcpy(out, &word, sizeof(word));
      out += sizeof(word);
      filled -= 64;
      word = value >> (bits - 1 - filled) >> 1;  // in two steps, as a shift by 64 is undefined
    }
  }
  if (filled != 0) std::memcpy(out, &word, (filled + 7) / 8);
}

// The lane that starts at bit `offset`, when the 8 bytes from its first byte on (9 if `wide`) may
// be read.
template <bool wide>
std::uint64_t lane_at(const std::byte* in, std::size_t offset) {
  const std::byte* first = in + offset / 8;
  const unsigned shift = static_cast<unsigned>(offset % 8);
  std::uint64_t word;
  std::memcpy(&word, first, sizeof(word));
  word >>= shift;
  if constexpr (wide) word |= (static_cast<std::uint64_t>(first[8]) << 1) << (63 - shift);
  return word;
}

template <class Put, bool wide>
void unpack_any(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  const std::uint64_t mask = ring_mask(bits);
  const std::size_t total = packed_bytes(lanes.size(), bits);
  constexpr std::size_t window = wide ? 9 : 8;
  // Lanes whose window lies inside the input; the last few are read from a padded copy.
  const std::size_t safe = total < window ? 0 : ((total - window) * 8 + 7) / bits + 1;
  const std::size_t direct = safe < lanes.size() ? safe : lanes.size();
  for (std::size_t i = 0; i < direct; ++i) {
    Put::put(lanes[i], lane_at<wide>(in, i * bits) & mask, mask);
  }
  if (direct == lanes.size()) return;
  const std::size_t first_byte = direct * bits / 8;
  std::byte tail[32] = {};
  std::memcpy(tail, in + first_byte, total - first_byte);
  for (std::size_t i = direct; i < lanes.size(); ++i) {
    Put::put(lanes[i], lane_at<wide>(tail, i * bits - first_byte * 8) & mask, mask);
  }
}

template <class Put>
void unpack_with(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  (void)packed_bytes(lanes.size(), bits);  // checks both
  switch (bits) {
    case 8:
      return unpack_whole<Put, std::uint8_t>(in, lanes);
    case 16:
      return unpack_whole<Put, std::uint16_t>(in, lanes);
    case 32:
      return unpack_whole<Put, std::uint32_t>(in, lanes);
    case 64:
      return unpack_whole<Put, std::uint64_t>(in, lanes);
    default:
      // A lane starts at bit 0 to 7 of its first byte: up to 57 bits always lie within 8 bytes.
      return bits <= 57 ? unpack_any<Put, false>(in, bits, lanes)
                        : unpack_any<Put, true>(in, bits, lanes);
  }
}

}  // namespace

std::size_t packed_bytes(std::size_t lanes, unsigned bits) {
  if (bits < 1 || bits > 64) throw std::invalid_argument("a packed lane has 1 to 64 bits");
  // Bit positions must fit as well, hence the eighth.
  if (lanes > std::numeric_limits<std::size_t>::max() / 8 / bits) {
    throw std::invalid_argument("too many lanes to pack");
  }
  return (lanes * bits + 7) / 8;
}

void pack(std::span<const std::uint64_t> lanes, unsigned bits, std::byte* out) {
  (void)packed_bytes(lanes.size(), bits);  // checks both
  switch (bits) {
    case 8:
      return pack_whole<std::uint8_t>(lanes, out);
    case 16:
      return pack_whole<std::uint16_t>(lanes, out);
    case 32:
      return pack_whole<std::uint32_t>(lanes, out);
    case 64:
      return pack_whole<std::uint64_t>(lanes, out);
    default:
      return pack_any(lanes, bits, out);
  }
}

void unpack(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  unpack_with<Store>(in, bits, lanes);
}

void unpack_add(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  unpack_with<Add>(in, bits, lanes);
}

}  // namespace sotto
