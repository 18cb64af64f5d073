#include "core/wire/bit_pack.h"

#include <bit>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "core/ring/kernels.h"
#include "core/wire/bit_pack_tables.h"

namespace sotto {

static_assert(std::endian::native == std::endian::little,
              "the wire is little-endian; other machines need byte swaps here");

namespace kernel {
namespace {

using Word = BitPacking::Word;
using Byte = BitPacking::Byte;

struct Store {
  static void put(Word& lane, Word value, Word /*mask*/) { lane = value; }
};
struct Add {
  static void put(Word& lane, Word value, Word mask) { lane = (lane + value) & mask; }
};

template <class Raw>
void pack_whole(const Word* lanes, std::size_t count, Byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto raw = static_cast<Raw>(lanes[i]);
    std::memcpy(out + i * sizeof(Raw), &raw, sizeof(Raw));
  }
}

template <class Put, class Raw>
void unpack_whole(const Byte* in, Word* lanes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Raw raw;
    std::memcpy(&raw, in + i * sizeof(Raw), sizeof(Raw));
    Put::put(lanes[i], raw, std::numeric_limits<Raw>::max());
  }
}

void pack_any(const Word* lanes, std::size_t count, unsigned bits, Byte* out) {
  const Word mask = ~Word{0} >> (64 - bits);
  Word word = 0;
  unsigned filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Word value = lanes[i] & mask;
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

template <bool wide>
Word lane_at(const Byte* in, std::size_t offset) {
  const Byte* first = in + offset / 8;
  const unsigned shift = static_cast<unsigned>(offset % 8);
  Word word;
  std::memcpy(&word, first, sizeof(word));
  word >>= shift;
  if constexpr (wide) word |= (static_cast<Word>(first[8]) << 1) << (63 - shift);
  return word;
}

template <class Put, bool wide>
void unpack_any(const Byte* in, unsigned bits, Word* lanes, std::size_t count) {
  const Word mask = ~Word{0} >> (64 - bits);
  const std::size_t total = (count * bits + 7) / 8;
  constexpr std::size_t window = wide ? 9 : 8;
  // Loads of the first `safe` lanes end within the input; the other lanes are read from a padded copy.
  const std::size_t safe = total < window ? 0 : ((total - window) * 8 + 7) / bits + 1;
  const std::size_t direct = safe < count ? safe : count;
  for (std::size_t i = 0; i < direct; ++i) {
    Put::put(lanes[i], lane_at<wide>(in, i * bits) & mask, mask);
  }
  if (direct == count) return;
  const std::size_t first_byte = direct * bits / 8;
  Byte tail[32] = {};
  std::memcpy(tail, in + first_byte, total - first_byte);
  for (std::size_t i = direct; i < count; ++i) {
    Put::put(lanes[i], lane_at<wide>(tail, i * bits - first_byte * 8) & mask, mask);
  }
}

void pack(const Word* lanes, std::size_t count, unsigned bits, Byte* out) {
  switch (bits) {
    case 8:
      return pack_whole<std::uint8_t>(lanes, count, out);
    case 16:
      return pack_whole<std::uint16_t>(lanes, count, out);
    case 32:
      return pack_whole<std::uint32_t>(lanes, count, out);
    case 64:
      return pack_whole<std::uint64_t>(lanes, count, out);
    default:
      return pack_any(lanes, count, bits, out);
  }
}

template <class Put>
void unpack_with(const Byte* in, unsigned bits, Word* lanes, std::size_t count) {
  switch (bits) {
    case 8:
      return unpack_whole<Put, std::uint8_t>(in, lanes, count);
    case 16:
      return unpack_whole<Put, std::uint16_t>(in, lanes, count);
    case 32:
      return unpack_whole<Put, std::uint32_t>(in, lanes, count);
    case 64:
      return unpack_whole<Put, std::uint64_t>(in, lanes, count);
    default:
      // A lane starts at bit 0 to 7 of a byte, so up to 57 bits lie within 8 bytes.
      return bits <= 57 ? unpack_any<Put, false>(in, bits, lanes, count)
                        : unpack_any<Put, true>(in, bits, lanes, count);
  }
}

}  // namespace

const BitPacking baseline_bit_packing = {"baseline", pack, unpack_with<Store>, unpack_with<Add>};

}  // namespace kernel

std::vector<const BitPacking*> available_bit_packings() {
  std::vector<const BitPacking*> tables = {&kernel::baseline_bit_packing};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) tables.push_back(&kernel::avx2_bit_packing);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2")) {
    tables.push_back(&kernel::avx512_bit_packing);
  }
#endif
  return tables;
}

const BitPacking& bit_packing() {
  static const BitPacking& chosen = table_up_to(kernels().companion, available_bit_packings());
  return chosen;
}

std::size_t packed_bytes(std::size_t lanes, unsigned bits) {
  if (bits < 1 || bits > 64) throw std::invalid_argument("a packed lane has 1 to 64 bits");
  if (lanes > std::numeric_limits<std::size_t>::max() / 8 / bits) {
    throw std::invalid_argument("too many lanes to pack");
  }
  return (lanes * bits + 7) / 8;
}

void pack(std::span<const std::uint64_t> lanes, unsigned bits, std::byte* out) {
  (void)packed_bytes(lanes.size(), bits);
  bit_packing().pack(lanes.data(), lanes.size(), bits, reinterpret_cast<unsigned char*>(out));
}

void unpack(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  (void)packed_bytes(lanes.size(), bits);
  bit_packing().unpack(reinterpret_cast<const unsigned char*>(in), bits, lanes.data(), lanes.size());
}

void unpack_add(const std::byte* in, unsigned bits, std::span<std::uint64_t> lanes) {
  (void)packed_bytes(lanes.size(), bits);
  bit_packing().unpack_add(reinterpret_cast<const unsigned char*>(in), bits, lanes.data(), lanes.size());
}

namespace {

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
  // Writes a whole word where it fits into `out`, because the next word overwrites the excess bytes.
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

template <unsigned b>
std::uint64_t scattered(std::uint64_t x) {
  constexpr std::uint64_t low_bits = 0x0101010101010101u * ((1u << b) - 1);
  constexpr std::uint64_t low_pairs = 0x0001000100010001u * ((1u << b) - 1);
  constexpr std::uint64_t low_fours = 0x0000000100000001u * ((1u << 2 * b) - 1);
  constexpr std::uint64_t half = (std::uint64_t{1} << 4 * b) - 1;
  x = (x & half) | (((x >> (4 * b)) & half) << 32);
  x = (x & low_fours) | ((x & (low_fours << (2 * b))) << (16 - 2 * b));
  return ((x & low_pairs) | ((x & (low_pairs << b)) << (8 - b))) & low_bits;
}

template <unsigned b>
void unpack_width(const std::byte* in, std::span<std::uint8_t> lanes) {
  const std::size_t bytes = (lanes.size() * b + 7) / 8;
  for (std::size_t i = 0; 8 * i < lanes.size(); ++i) {
    std::uint64_t word = 0;
    if (i * b + 8 <= bytes) {
      std::memcpy(&word, in + i * b, 8);
    } else {
      std::memcpy(&word, in + i * b, bytes - i * b);
    }
    word = scattered<b>(word);
    if (8 * i + 8 <= lanes.size()) {
      std::memcpy(lanes.data() + 8 * i, &word, 8);
    } else {
      std::memcpy(lanes.data() + 8 * i, &word, lanes.size() - 8 * i);
    }
  }
}

template <class F>
void with_width(unsigned bits, F f) {
  switch (bits) {
    case 1:
      return f(std::integral_constant<unsigned, 1>());
    case 2:
      return f(std::integral_constant<unsigned, 2>());
    case 3:
      return f(std::integral_constant<unsigned, 3>());
    case 4:
      return f(std::integral_constant<unsigned, 4>());
    case 5:
      return f(std::integral_constant<unsigned, 5>());
    case 6:
      return f(std::integral_constant<unsigned, 6>());
    case 7:
      return f(std::integral_constant<unsigned, 7>());
    case 8:
      return f(std::integral_constant<unsigned, 8>());
    default:
      throw std::invalid_argument("a lane that is held in a byte has 1 to 8 bits");
  }
}

}  // namespace

void pack_bytes(std::span<const std::uint8_t> lanes, unsigned bits, std::byte* out) {
  with_width(bits, [&](auto width) { pack_width<width>(lanes, out); });
}

void unpack_bytes(const std::byte* in, unsigned bits, std::span<std::uint8_t> lanes) {
  with_width(bits, [&](auto width) { unpack_width<width>(in, lanes); });
}

}  // namespace sotto
