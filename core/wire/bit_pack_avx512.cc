// Only intrinsics and raw pointers are allowed here (core/ring/kernels_tables.h). Eight lanes of b bits fill b bytes.
#include "core/wire/bit_pack_tables.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__BMI2__)
#include <immintrin.h>

namespace sotto::kernel {
namespace {

using Word = BitPacking::Word;
using Byte = BitPacking::Byte;

constexpr std::size_t width = 8;

inline __m512i broadcast(Word word) { return _mm512_set1_epi64(static_cast<long long>(word)); }

inline Word low_bits(unsigned bits) { return ~Word{0} >> (64 - bits); }

inline __mmask8 first_words(std::size_t count) {
  return static_cast<__mmask8>(count >= width ? 0xFFU : (1U << count) - 1U);
}

inline __mmask64 first_bytes(std::size_t count) { return count >= 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1; }

inline std::size_t bytes_of(std::size_t lanes, unsigned bits) { return (lanes * bits + 7) / 8; }

// (a & keep) | (b & ~keep)
inline __m512i select(__m512i keep, __m512i a, __m512i b) { return _mm512_ternarylogic_epi64(keep, a, b, 0xCA); }

struct Spread {
  __m512i word, next, right, left, mask;

  explicit Spread(unsigned bits) {
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i start = _mm512_mul_epu32(lane, broadcast(bits));
    word = _mm512_srli_epi64(start, 6);
    next = _mm512_add_epi64(word, broadcast(1));
    right = _mm512_and_si512(start, broadcast(63));
    left = _mm512_sub_epi64(broadcast(64), right);
    mask = broadcast(low_bits(bits));
  }
  __m512i lanes(__m512i packed) const {
    const __m512i low = _mm512_srlv_epi64(_mm512_permutexvar_epi64(word, packed), right);
    const __m512i high = _mm512_sllv_epi64(_mm512_permutexvar_epi64(next, packed), left);
    return _mm512_ternarylogic_epi64(low, high, mask, 0xA8);  // (low | high) & mask
  }
};

template <bool add>
void unpack_with(const Byte* in, unsigned bits, Word* lanes, std::size_t count) {
  const Spread spread(bits);
  const __mmask64 group = first_bytes(bits);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    __m512i value = spread.lanes(_mm512_maskz_loadu_epi8(group, in));
    in += bits;
    if constexpr (add) {
      value = _mm512_add_epi64(value, _mm512_loadu_si512(lanes + i));
      value = _mm512_and_si512(value, spread.mask);
    }
    _mm512_storeu_si512(lanes + i, value);
  }
  if (i == count) return;
  const __mmask8 rest = first_words(count - i);
  const __mmask64 bytes = first_bytes(bytes_of(count - i, bits));
  __m512i value = spread.lanes(_mm512_maskz_loadu_epi8(bytes, in));
  if constexpr (add) {
    value = _mm512_add_epi64(value, _mm512_maskz_loadu_epi64(rest, lanes + i));
    value = _mm512_and_si512(value, spread.mask);
  }
  _mm512_mask_storeu_epi64(lanes + i, rest, value);
}

struct Join {
  __m512i low;
  __m128i down;

  Join(unsigned bits, unsigned distance)
      : low(broadcast(low_bits(bits))), down(_mm_cvtsi32_si128(static_cast<int>(distance - bits))) {
    if (distance == 16) low = _mm512_or_si512(low, _mm512_slli_epi64(low, 32));
  }
  __m512i words(__m512i fields) const { return select(low, fields, _mm512_srl_epi64(fields, down)); }
  __m512i dwords(__m512i fields) const { return select(low, fields, _mm512_srl_epi32(fields, down)); }
};

// Joins eight fields of c bits without gaps; c is 33 to 64.
struct Gather {
  __m512i field[3], right, left[2];

  explicit Gather(unsigned c) {
    const __m512i start = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0);
    // Divides `start` by c with a multiplication. The quotient is exact because `start` is far below 2^16 / c.
    const __m512i reciprocal = broadcast(65536 / c + 1);
    field[0] = _mm512_srli_epi64(_mm512_mul_epu32(start, reciprocal), 16);
    field[1] = _mm512_add_epi64(field[0], broadcast(1));
    field[2] = _mm512_add_epi64(field[0], broadcast(2));
    right = _mm512_sub_epi64(start, _mm512_mul_epu32(field[0], broadcast(c)));
    left[0] = _mm512_sub_epi64(broadcast(c), right);
    left[1] = _mm512_add_epi64(left[0], broadcast(c));
  }
  __m512i dense(__m512i fields) const {
    const __m512i a = _mm512_srlv_epi64(_mm512_permutexvar_epi64(field[0], fields), right);
    const __m512i b = _mm512_sllv_epi64(_mm512_permutexvar_epi64(field[1], fields), left[0]);
    const __m512i c = _mm512_sllv_epi64(_mm512_permutexvar_epi64(field[2], fields), left[1]);
    return _mm512_ternarylogic_epi64(a, b, c, 0xFE);  // a | b | c
  }
};

template <unsigned level>
struct Fields;

template <>
struct Fields<0> {
  __m512i mask;

  explicit Fields(unsigned bits) : mask(broadcast(low_bits(bits))) {}
  __m512i of(const __m512i* lanes) const { return _mm512_and_si512(lanes[0], mask); }
};

inline __m512i low_dwords(__m512i a, __m512i b) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  return _mm512_permutex2var_epi32(a, even, b);
}

template <>
struct Fields<1> {
  __m512i pair;
  Join join;

  explicit Fields(unsigned bits) : pair(broadcast(low_bits(2 * bits))), join(bits, 32) {}
  __m512i of(const __m512i* lanes) const { return _mm512_and_si512(join.words(low_dwords(lanes[0], lanes[1])), pair); }
};

template <>
struct Fields<2> {
  __m512i even, four;
  Join in_dwords, in_words;

  explicit Fields(unsigned bits)
      : even(_mm512_set_epi16(62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34, 32, 30, 28, 26, 24, 22, 20,
                              18, 16, 14, 12, 10, 8, 6, 4, 2, 0)),
        four(broadcast(low_bits(4 * bits))),
        in_dwords(bits, 16),
        in_words(2 * bits, 32) {}
  __m512i of(const __m512i* lanes) const {
    const __m512i short_lanes =
        _mm512_permutex2var_epi16(low_dwords(lanes[0], lanes[1]), even, low_dwords(lanes[2], lanes[3]));
    return _mm512_and_si512(in_words.words(in_dwords.dwords(short_lanes)), four);
  }
};

template <unsigned level>
void pack_fields(const Word* lanes, std::size_t count, unsigned bits, Byte* out) {
  constexpr std::size_t registers = std::size_t{1} << level;
  const unsigned field_bits = bits << level;
  const Fields<level> fields(bits);
  const Gather gather(field_bits);
  const Byte* const end = out + bytes_of(count, bits);
  __m512i lane[registers];
  // Writes a whole register where it fits into `out`, because the next group overwrites the excess bytes.
  std::size_t i = 0;
  for (; i + registers * width <= count && end - out >= 64; i += registers * width) {
    for (std::size_t r = 0; r < registers; ++r) {
      lane[r] = _mm512_loadu_si512(lanes + i + r * width);
    }
    _mm512_storeu_si512(out, gather.dense(fields.of(lane)));
    out += field_bits;
  }
  while (i < count) {
    std::size_t left = count - i;
    for (std::size_t r = 0; r < registers; ++r) {
      lane[r] = _mm512_maskz_loadu_epi64(first_words(left), lanes + i + r * width);
      left -= left < width ? left : width;
    }
    const std::size_t present = count - i < registers * width ? count - i : registers * width;
    _mm512_mask_storeu_epi8(out, first_bytes(bytes_of(present, bits)), gather.dense(fields.of(lane)));
    out += field_bits;
    i += present;
  }
}

void pack_bytes(const Word* lanes, std::size_t count, unsigned bits, Byte* out) {
  const Word mask = low_bits(bits) * 0x0101010101010101;
  const Byte* const end = out + bytes_of(count, bits);
  const auto eight = [mask](__m512i words) {
    const __m128i bytes = _mm512_cvtepi64_epi8(words);
    return _pext_u64(static_cast<Word>(_mm_cvtsi128_si64(bytes)), mask);
  };
  std::size_t i = 0;
  for (; i + width <= count && end - out >= 8; i += width) {
    const Word word = eight(_mm512_loadu_si512(lanes + i));
    __builtin_memcpy(out, &word, sizeof(word));
    out += bits;
  }
  for (; i < count; i += width) {
    const std::size_t present = count - i < width ? count - i : width;
    Word word = eight(_mm512_maskz_loadu_epi64(first_words(present), lanes + i));
    for (std::size_t byte = bytes_of(present, bits); byte != 0; --byte, word >>= 8) {
      *out++ = static_cast<Byte>(word);
    }
  }
}

void pack(const Word* lanes, std::size_t count, unsigned bits, Byte* out) {
  if (bits <= 8) return pack_bytes(lanes, count, bits, out);
  if (bits <= 16) return pack_fields<2>(lanes, count, bits, out);
  if (bits <= 32) return pack_fields<1>(lanes, count, bits, out);
  if (bits < 64) return pack_fields<0>(lanes, count, bits, out);
  if (count != 0) __builtin_memcpy(out, lanes, count * sizeof(Word));
}

}  // namespace

const BitPacking avx512_bit_packing = {"avx512", pack, unpack_with<false>, unpack_with<true>};

}  // namespace sotto::kernel
#endif
