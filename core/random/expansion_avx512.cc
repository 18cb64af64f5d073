// Only intrinsics and raw pointers are allowed here (expansion.h).
#include "sotto/protocol/random/expansion.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__VAES__)
#include <immintrin.h>

namespace sotto::kernel {
namespace {

using Word = Expansion::Word;
using Byte = Expansion::Byte;

constexpr std::size_t rounds = 10;
constexpr std::size_t width = 8;
constexpr std::size_t registers = 4;

struct Keys {
  __m512i key[rounds + 1];

  explicit Keys(const Byte* round_keys) {
#pragma GCC unroll 11
    for (std::size_t r = 0; r <= rounds; ++r) {
      const void* from = round_keys + 16 * r;
      key[r] = _mm512_broadcast_i32x4(_mm_loadu_si128(static_cast<const __m128i*>(from)));
    }
  }
};

// A counter is big-endian in 128 bits, and its upper half stays 0.
struct Counters {
  __m512i number[registers];

  explicit Counters(std::uint64_t group) {
    const std::uint64_t first = group * registers * 4;
    const __m512i start = _mm512_maskz_set1_epi64(0xAA, static_cast<long long>(first));
    number[0] = _mm512_add_epi64(start, _mm512_set_epi64(3, 0, 2, 0, 1, 0, 0, 0));
    const __m512i step = _mm512_maskz_set1_epi64(0xAA, 4);
    for (std::size_t i = 1; i < registers; ++i) number[i] = _mm512_add_epi64(number[i - 1], step);
  }
  void advance() {
    const __m512i step = _mm512_maskz_set1_epi64(0xAA, registers * 4);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < registers; ++i) number[i] = _mm512_add_epi64(number[i], step);
  }
};

inline void encrypt_group(__m512i* block, const Keys& keys, const Counters& counters) {
  const __m512i big_endian = _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
#pragma GCC unroll 4
  for (std::size_t i = 0; i < registers; ++i) {
    block[i] = _mm512_shuffle_epi8(counters.number[i], big_endian);
    block[i] = _mm512_xor_si512(block[i], keys.key[0]);
  }
#pragma GCC unroll 9
  for (std::size_t r = 1; r < rounds; ++r) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < registers; ++i) {
      block[i] = _mm512_aesenc_epi128(block[i], keys.key[r]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < registers; ++i) {
    block[i] = _mm512_aesenclast_epi128(block[i], keys.key[rounds]);
  }
}

void write_stream(Byte* out, const Byte* round_keys, std::uint64_t first, std::size_t groups) {
  const Keys keys(round_keys);
  Counters counters(first);
  for (std::size_t group = 0; group < groups; ++group) {
    __m512i block[registers];
    encrypt_group(block, keys, counters);
    counters.advance();
#pragma GCC unroll 4
    for (std::size_t i = 0; i < registers; ++i) _mm512_storeu_si512(out + 64 * i, block[i]);
    out += Expansion::group_bytes;
  }
}

template <Combine how>
inline __m512i combined(__m512i old, __m512i fresh, __m512i mask) {
  if constexpr (how == Combine::add) fresh = _mm512_add_epi64(old, fresh);
  if constexpr (how == Combine::subtract) fresh = _mm512_sub_epi64(old, fresh);
  if constexpr (how == Combine::exclusive_or) fresh = _mm512_xor_si512(old, fresh);
  return _mm512_and_si512(fresh, mask);
}

template <Combine how>
inline void combine_at(Word* out, __m512i fresh, __m512i mask) {
  __m512i old = _mm512_setzero_si512();
  if constexpr (how != Combine::store) old = _mm512_loadu_si512(out);
  _mm512_storeu_si512(out, combined<how>(old, fresh, mask));
}

template <Combine how>
void combine_stream(Word* out, const Byte* round_keys, std::uint64_t first, std::size_t groups, Word mask) {
  const Keys keys(round_keys);
  const __m512i masks = _mm512_set1_epi64(static_cast<long long>(mask));
  Counters counters(first);
  for (std::size_t group = 0; group < groups; ++group) {
    __m512i block[registers];
    encrypt_group(block, keys, counters);
    counters.advance();
#pragma GCC unroll 4
    for (std::size_t i = 0; i < registers; ++i) combine_at<how>(out + width * i, block[i], masks);
    out += Expansion::group_words;
  }
}

template <std::size_t lane_bytes>
inline __m512i widen(__mmask8 present, const Byte* in) {
  if constexpr (lane_bytes == 1) {
    return _mm512_cvtepu8_epi64(_mm_maskz_loadu_epi8(present, in));
  } else if constexpr (lane_bytes == 2) {
    return _mm512_cvtepu16_epi64(_mm_maskz_loadu_epi16(present, in));
  } else if constexpr (lane_bytes == 4) {
    return _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(present, in));
  } else {
    return _mm512_maskz_loadu_epi64(present, in);
  }
}

template <Combine how, std::size_t lane_bytes>
void combine_lanes(Word* out, const Byte* in, std::size_t lanes, Word mask) {
  const __m512i masks = _mm512_set1_epi64(static_cast<long long>(mask));
  std::size_t i = 0;
  for (; i + width <= lanes; i += width) {
    combine_at<how>(out + i, widen<lane_bytes>(0xFF, in + i * lane_bytes), masks);
  }
  if (i == lanes) return;
  const __mmask8 rest = static_cast<__mmask8>((1U << (lanes - i)) - 1U);
  const __m512i fresh = widen<lane_bytes>(rest, in + i * lane_bytes);
  const __m512i old = _mm512_maskz_loadu_epi64(rest, out + i);
  _mm512_mask_storeu_epi64(out + i, rest, combined<how>(old, fresh, masks));
}

}  // namespace

using enum Combine;

const Expansion avx512_expansion = {
    "avx512",
    aes_schedule,
    write_stream,
    {combine_stream<store>, combine_stream<add>, combine_stream<subtract>, combine_stream<exclusive_or>},
    {{combine_lanes<store, 1>, combine_lanes<store, 2>, combine_lanes<store, 4>, combine_lanes<store, 8>},
     {combine_lanes<add, 1>, combine_lanes<add, 2>, combine_lanes<add, 4>, combine_lanes<add, 8>},
     {combine_lanes<subtract, 1>, combine_lanes<subtract, 2>, combine_lanes<subtract, 4>, combine_lanes<subtract, 8>},
     {combine_lanes<exclusive_or, 1>, combine_lanes<exclusive_or, 2>, combine_lanes<exclusive_or, 4>,
      combine_lanes<exclusive_or, 8>}}};

}  // namespace sotto::kernel
#endif
