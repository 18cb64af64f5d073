// Only intrinsics and raw pointers are allowed here (expansion.h).
#include "sotto/protocol/random/expansion.h"

#if defined(__AVX2__) && defined(__VAES__)
#include <immintrin.h>

namespace sotto::kernel {
namespace {

using Word = Expansion::Word;
using Byte = Expansion::Byte;

constexpr std::size_t rounds = 10;
constexpr std::size_t width = 4;
constexpr std::size_t registers = 8;
static_assert(registers * width == Expansion::group_words);

inline __m256i broadcast_key(const Byte* round_keys, std::size_t r) {
  const void* from = round_keys + 16 * r;
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(from)));
}

inline __m256i load_words(const Word* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(from)));
}

inline void store_words(void* to, __m256i words) { _mm256_storeu_si256(static_cast<__m256i*>(to), words); }

inline void encrypt_group(__m256i* block, const Byte* round_keys, std::uint64_t group) {
  const __m256i big_endian =
      _mm256_broadcastsi128_si256(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  const __m256i first_key = broadcast_key(round_keys, 0);
  const auto first = static_cast<long long>(group);
  constexpr long long blocks = 2 * registers;
  __m256i number = _mm256_set_epi64x(first * blocks + 1, 0, first * blocks, 0);
  const __m256i step = _mm256_set_epi64x(2, 0, 2, 0);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < registers; ++i) {
    block[i] = _mm256_xor_si256(_mm256_shuffle_epi8(number, big_endian), first_key);
    number = _mm256_add_epi64(number, step);
  }
  for (std::size_t r = 1; r < rounds; ++r) {
    const __m256i key = broadcast_key(round_keys, r);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < registers; ++i) block[i] = _mm256_aesenc_epi128(block[i], key);
  }
  const __m256i last_key = broadcast_key(round_keys, rounds);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < registers; ++i) block[i] = _mm256_aesenclast_epi128(block[i], last_key);
}

template <Combine how>
inline __m256i combined(__m256i old, __m256i fresh, __m256i mask) {
  if constexpr (how == Combine::add) fresh = _mm256_add_epi64(old, fresh);
  if constexpr (how == Combine::subtract) fresh = _mm256_sub_epi64(old, fresh);
  if constexpr (how == Combine::exclusive_or) fresh = _mm256_xor_si256(old, fresh);
  return _mm256_and_si256(fresh, mask);
}

void write_stream(Byte* out, const Byte* round_keys, std::uint64_t first, std::size_t groups) {
  for (std::size_t group = 0; group < groups; ++group, out += Expansion::group_bytes) {
    __m256i block[registers];
    encrypt_group(block, round_keys, first + group);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < registers; ++i) store_words(out + 32 * i, block[i]);
  }
}

template <Combine how>
void combine_stream(Word* out, const Byte* round_keys, std::uint64_t first, std::size_t groups, Word mask) {
  const __m256i masks = _mm256_set1_epi64x(static_cast<long long>(mask));
  for (std::size_t group = 0; group < groups; ++group, out += Expansion::group_words) {
    __m256i block[registers];
    encrypt_group(block, round_keys, first + group);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < registers; ++i) {
      __m256i old = _mm256_setzero_si256();
      if constexpr (how != Combine::store) old = load_words(out + width * i);
      store_words(out + width * i, combined<how>(old, block[i], masks));
    }
  }
}

}  // namespace

using enum Combine;

void use_vaes(Expansion& table) {
  table.write_stream = write_stream;
  table.combine_stream[0] = combine_stream<store>;
  table.combine_stream[1] = combine_stream<add>;
  table.combine_stream[2] = combine_stream<subtract>;
  table.combine_stream[3] = combine_stream<exclusive_or>;
}

}  // namespace sotto::kernel
#endif
