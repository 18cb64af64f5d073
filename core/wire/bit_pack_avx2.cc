// Only intrinsics and raw pointers are allowed here (core/ring/kernels_tables.h). Eight lanes of b bits fill b bytes.
#include "core/wire/bit_pack_tables.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace sotto::kernel {
namespace {

using Word = BitPacking::Word;
using Byte = BitPacking::Byte;

constexpr std::size_t width = 4;
constexpr std::size_t group = 8;  // lanes

inline __m256i broadcast(Word word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }

inline Word low_bits(unsigned bits) { return ~Word{0} >> (64 - bits); }

inline std::size_t bytes_of(std::size_t lanes, unsigned bits) { return (lanes * bits + 7) / 8; }

inline __m128i load_bytes(const Byte* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(from)));
}

inline __m256i load(const Word* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(from)));
}

inline void store(Word* to, __m256i words) {
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), words);
}

constexpr std::size_t few = 48;  // for fewer lanes, the vector loop is slower: it first computes bit positions
constexpr unsigned widest = 57;

struct Spread {
  std::size_t first[group / 2];
  __m256i byte[2], shift[2], mask;

  explicit Spread(unsigned bits) : mask(broadcast(low_bits(bits))) {
    for (std::size_t half = 0; half < 2; ++half) {
      alignas(32) Byte from[32];
      alignas(32) Word up[width];
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t lane = half * width + i;
        const std::size_t start = lane * bits / 8;
        if (lane % 2 == 0) first[lane / 2] = start;
        for (std::size_t j = 0; j < 8; ++j) {
          from[8 * i + j] = static_cast<Byte>(start - first[lane / 2] + j);
        }
        up[i] = lane * bits % 8;
      }
      byte[half] = _mm256_load_si256(static_cast<const __m256i*>(static_cast<const void*>(from)));
      shift[half] = load(up);
    }
  }
  std::size_t reach() const { return first[group / 2 - 1] + 16; }

  __m256i lanes(const Byte* in, std::size_t half) const {
    const __m256i pairs = _mm256_set_m128i(load_bytes(in + first[2 * half + 1]), load_bytes(in + first[2 * half]));
    return _mm256_and_si256(_mm256_srlv_epi64(_mm256_shuffle_epi8(pairs, byte[half]), shift[half]), mask);
  }
};

template <bool add>
inline void put(Word* lanes, __m256i value, __m256i mask) {
  if constexpr (add) value = _mm256_and_si256(_mm256_add_epi64(value, load(lanes)), mask);
  store(lanes, value);
}

template <bool add>
inline void unpack_group(const Byte* in, const Spread& spread, Word* lanes) {
  put<add>(lanes, spread.lanes(in, 0), spread.mask);
  put<add>(lanes + width, spread.lanes(in, 1), spread.mask);
}

template <bool add>
void unpack_with(const Byte* in, unsigned bits, Word* lanes, std::size_t count) {
  const auto plain = add ? baseline_bit_packing.unpack_add : baseline_bit_packing.unpack;
  const bool whole_bytes = bits == 8 || bits == 16 || bits == 32;
  if (count < few || whole_bytes || bits > widest) return plain(in, bits, lanes, count);
  const Spread spread(bits);
  const Byte* const end = in + bytes_of(count, bits);
  std::size_t i = 0;
  for (; i + group <= count && static_cast<std::size_t>(end - in) >= spread.reach(); i += group) {
    unpack_group<add>(in, spread, lanes + i);
    in += bits;
  }
  plain(in, bits, lanes + i, count - i);
}

struct Collector {
  Byte* out;
  Word word = 0;
  unsigned filled = 0;

  void take(Word field, unsigned bits) {
    word |= field << filled;
    filled += bits;
    if (filled < 64) return;
    __builtin_memcpy(out, &word, sizeof(word));
    out += sizeof(word);
    filled -= 64;
    word = field >> (bits - 1 - filled) >> 1;
  }
  void finish() {
    for (; filled != 0; word >>= 8) {
      *out++ = static_cast<Byte>(word);
      filled -= filled < 8 ? filled : 8;
    }
  }
};

inline Word low_word(__m128i words) { return static_cast<Word>(_mm_cvtsi128_si64(words)); }

void pack(const Word* lanes, std::size_t count, unsigned bits, Byte* out) {
  if (bits > 32 || bits == 8 || bits == 16 || bits == 32) {
    return baseline_bit_packing.pack(lanes, count, bits, out);
  }
  const bool four = bits <= 16;
  const long long step = bits;
  const __m256i mask = broadcast(low_bits(bits));
  const __m256i up = _mm256_set_epi64x(four ? 3 * step : step, four ? 2 * step : 0, step, 0);
  Collector collector{out};
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m256i moved = _mm256_sllv_epi64(_mm256_and_si256(load(lanes + i), mask), up);
    const __m256i pairs = _mm256_or_si256(moved, _mm256_unpackhi_epi64(moved, moved));
    const __m128i low = _mm256_castsi256_si128(pairs);
    const __m128i high = _mm256_extracti128_si256(pairs, 1);
    if (four) {
      collector.take(low_word(_mm_or_si128(low, high)), 4 * bits);
    } else {
      collector.take(low_word(low), 2 * bits);
      collector.take(low_word(high), 2 * bits);
    }
  }
  for (; i < count; ++i) collector.take(lanes[i] & low_bits(bits), bits);
  collector.finish();
}

}  // namespace

const BitPacking avx2_bit_packing = {"avx2", pack, unpack_with<false>, unpack_with<true>};

}  // namespace sotto::kernel
#endif
