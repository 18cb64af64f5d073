// Only intrinsics and raw pointers are allowed here (core/ring/kernels_tables.h).
#include "core/transfer/transfer_kernels.h"

#if defined(__AVX2__) && defined(__AES__)
#include <immintrin.h>

namespace sotto::kernel {
namespace {

using Word = TransferKernels::Word;
using Byte = TransferKernels::Byte;
using Vector = Word __attribute__((vector_size(32)));

constexpr std::size_t width = 4;
constexpr std::size_t rounds = 10;
constexpr std::size_t in_flight = 8;

inline Vector load(const Word* from) {
  Vector words;
  __builtin_memcpy(&words, from, sizeof(words));
  return words;
}
inline void store(Word* to, Vector words) { __builtin_memcpy(to, &words, sizeof(words)); }

inline __m128i load_block(const Byte* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(from)));
}
inline void store_block(Byte* to, __m128i block) {
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), block);
}

inline void store_rows(Byte* to, Vector low, Vector high) {
  const __m256i even = _mm256_unpacklo_epi64((__m256i)low, (__m256i)high);
  const __m256i odd = _mm256_unpackhi_epi64((__m256i)low, (__m256i)high);
  store_block(to, _mm256_castsi256_si128(even));
  store_block(to + 1024, _mm256_castsi256_si128(odd));
  store_block(to + 2048, _mm256_extracti128_si256(even, 1));
  store_block(to + 3072, _mm256_extracti128_si256(odd, 1));
}

#include "core/transfer/bit_matrix.inc"

inline void encrypt(__m128i* block, const Byte* round_keys) {
  const __m128i first_key = load_block(round_keys);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < in_flight; ++i) block[i] = _mm_xor_si128(block[i], first_key);
  for (std::size_t r = 1; r < rounds; ++r) {
    const __m128i key = load_block(round_keys + 16 * r);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < in_flight; ++i) block[i] = _mm_aesenc_si128(block[i], key);
  }
  const __m128i last_key = load_block(round_keys + 16 * rounds);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < in_flight; ++i) block[i] = _mm_aesenclast_si128(block[i], last_key);
}

inline void hash_blocks(Byte* out, const Byte* in, __m128i offset, const Byte* round_keys, __m128i tweak) {
  __m128i once[in_flight];
  __m128i twice[in_flight];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < in_flight; ++i) once[i] = _mm_xor_si128(load_block(in + 16 * i), offset);
  encrypt(once, round_keys);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < in_flight; ++i) {
    const __m128i own = _mm_add_epi64(tweak, _mm_set_epi64x(0, static_cast<long long>(i)));
    twice[i] = _mm_xor_si128(once[i], own);
  }
  encrypt(twice, round_keys);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < in_flight; ++i) store_block(out + 16 * i, _mm_xor_si128(twice[i], once[i]));
}

void hash(Byte* out, const Byte* in, const Byte* offset, const Byte* round_keys, const Word* tweak, std::size_t count) {
  const __m128i offsets = load_block(offset);
  __m128i next = _mm_set_epi64x(static_cast<long long>(tweak[1]), static_cast<long long>(tweak[0]));
  std::size_t i = 0;
  for (; i + in_flight <= count; i += in_flight) {
    hash_blocks(out + 16 * i, in + 16 * i, offsets, round_keys, next);
    next = _mm_add_epi64(next, _mm_set_epi64x(0, in_flight));
  }
  if (i == count) return;
  Byte rest[16 * in_flight] = {};
  __builtin_memcpy(rest, in + 16 * i, 16 * (count - i));
  hash_blocks(rest, rest, offsets, round_keys, next);
  __builtin_memcpy(out + 16 * i, rest, 16 * (count - i));
}

}  // namespace

const TransferKernels avx2_transfer_kernels = {"avx2", hash, add, join, transpose};

}  // namespace sotto::kernel
#endif
