// Only intrinsics and raw pointers are allowed here (expansion.h).
#include "sotto/protocol/random/expansion.h"

#if defined(__AVX2__) && defined(__AES__)
#include <immintrin.h>

namespace sotto::kernel {
namespace {

using Word = Expansion::Word;
using Byte = Expansion::Byte;

constexpr std::size_t rounds = 10;
constexpr std::size_t in_flight = 8;
constexpr std::size_t group_blocks = Expansion::group_bytes / 16;

inline __m128i load_block(const Byte* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(from)));
}

inline void store_block(Byte* to, __m128i block) {
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), block);
}

inline __m256i load_words(const Word* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(from)));
}

inline void store_words(Word* to, __m256i words) {
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), words);
}

template <int constant>
inline __m128i next_key(__m128i key) {
  const __m128i word = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, constant), 0xFF);
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  return _mm_xor_si128(key, word);
}

// The counter is big-endian in 128 bits, and its upper half stays 0.
inline void encrypt_counters(__m128i* block, const Byte* round_keys, std::uint64_t counter) {
  const __m128i big_endian = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  const __m128i first_key = load_block(round_keys);
  for (std::size_t i = 0; i < in_flight; ++i) {
    const std::uint64_t count = counter + i;
    const __m128i number = _mm_set_epi64x(static_cast<long long>(count), 0);
    block[i] = _mm_xor_si128(_mm_shuffle_epi8(number, big_endian), first_key);
  }
  for (std::size_t r = 1; r < rounds; ++r) {
    const __m128i key = load_block(round_keys + 16 * r);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < in_flight; ++i) block[i] = _mm_aesenc_si128(block[i], key);
  }
  const __m128i last_key = load_block(round_keys + 16 * rounds);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < in_flight; ++i) block[i] = _mm_aesenclast_si128(block[i], last_key);
}

void write_stream(Byte* out, const Byte* round_keys, std::uint64_t first, std::size_t groups) {
  std::uint64_t counter = first * group_blocks;
  for (std::size_t half = 0; half < 2 * groups; ++half) {
    __m128i block[in_flight];
    encrypt_counters(block, round_keys, counter);
    for (std::size_t i = 0; i < in_flight; ++i) store_block(out + 16 * i, block[i]);
    counter += in_flight;
    out += 16 * in_flight;
  }
}

template <Combine how>
inline __m256i combined(__m256i old, __m256i fresh, __m256i mask) {
  if constexpr (how == Combine::add) fresh = _mm256_add_epi64(old, fresh);
  if constexpr (how == Combine::subtract) fresh = _mm256_sub_epi64(old, fresh);
  if constexpr (how == Combine::exclusive_or) fresh = _mm256_xor_si256(old, fresh);
  return _mm256_and_si256(fresh, mask);
}

template <Combine how>
inline void combine_at(Word* out, __m256i fresh, __m256i mask) {
  __m256i old = _mm256_setzero_si256();
  if constexpr (how != Combine::store) old = load_words(out);
  store_words(out, combined<how>(old, fresh, mask));
}

template <Combine how>
void combine_stream(Word* out, const Byte* round_keys, std::uint64_t first, std::size_t groups, Word mask) {
  const __m256i masks = _mm256_set1_epi64x(static_cast<long long>(mask));
  std::uint64_t counter = first * group_blocks;
  for (std::size_t half = 0; half < 2 * groups; ++half) {
    __m128i block[in_flight];
    encrypt_counters(block, round_keys, counter);
    for (std::size_t i = 0; i < in_flight; i += 2) {
      combine_at<how>(out + 2 * i, _mm256_set_m128i(block[i + 1], block[i]), masks);
    }
    counter += in_flight;
    out += 2 * in_flight;
  }
}

template <class Lane>
inline __m256i widen(const Byte* in) {
  if constexpr (sizeof(Lane) == 1) {
    int bytes;
    __builtin_memcpy(&bytes, in, sizeof(bytes));
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
  } else if constexpr (sizeof(Lane) == 2) {
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64(static_cast<const __m128i*>(static_cast<const void*>(in))));
  } else if constexpr (sizeof(Lane) == 4) {
    return _mm256_cvtepu32_epi64(load_block(in));
  } else {
    return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(in)));
  }
}

template <Combine how, class Lane>
void combine_lanes(Word* out, const Byte* in, std::size_t lanes, Word mask) {
  const __m256i masks = _mm256_set1_epi64x(static_cast<long long>(mask));
  std::size_t i = 0;
  for (; i + 4 <= lanes; i += 4) combine_at<how>(out + i, widen<Lane>(in + i * sizeof(Lane)), masks);
  for (; i < lanes; ++i) {
    Lane lane;
    __builtin_memcpy(&lane, in + i * sizeof(Lane), sizeof(Lane));
    Word word = lane;
    if constexpr (how == Combine::add) word = out[i] + word;
    if constexpr (how == Combine::subtract) word = out[i] - word;
    if constexpr (how == Combine::exclusive_or) word = out[i] ^ word;
    out[i] = word & mask;
  }
}

}  // namespace

void aes_schedule(unsigned char* round_keys, const unsigned char* key) {
  __m128i keys[rounds + 1];
  keys[0] = load_block(key);
  keys[1] = next_key<0x01>(keys[0]);
  keys[2] = next_key<0x02>(keys[1]);
  keys[3] = next_key<0x04>(keys[2]);
  keys[4] = next_key<0x08>(keys[3]);
  keys[5] = next_key<0x10>(keys[4]);
  keys[6] = next_key<0x20>(keys[5]);
  keys[7] = next_key<0x40>(keys[6]);
  keys[8] = next_key<0x80>(keys[7]);
  keys[9] = next_key<0x1B>(keys[8]);
  keys[10] = next_key<0x36>(keys[9]);
  for (std::size_t r = 0; r <= rounds; ++r) store_block(round_keys + 16 * r, keys[r]);
}

using enum Combine;

const Expansion avx2_expansion = {
    "avx2",
    aes_schedule,
    write_stream,
    {combine_stream<store>, combine_stream<add>, combine_stream<subtract>, combine_stream<exclusive_or>},
    {{combine_lanes<store, std::uint8_t>, combine_lanes<store, std::uint16_t>, combine_lanes<store, std::uint32_t>,
      combine_lanes<store, std::uint64_t>},
     {combine_lanes<add, std::uint8_t>, combine_lanes<add, std::uint16_t>, combine_lanes<add, std::uint32_t>,
      combine_lanes<add, std::uint64_t>},
     {combine_lanes<subtract, std::uint8_t>, combine_lanes<subtract, std::uint16_t>,
      combine_lanes<subtract, std::uint32_t>, combine_lanes<subtract, std::uint64_t>},
     {combine_lanes<exclusive_or, std::uint8_t>, combine_lanes<exclusive_or, std::uint16_t>,
      combine_lanes<exclusive_or, std::uint32_t>, combine_lanes<exclusive_or, std::uint64_t>}}};

}  // namespace sotto::kernel
#endif
