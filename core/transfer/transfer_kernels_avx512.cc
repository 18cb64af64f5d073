// Only intrinsics and raw pointers are allowed here (core/ring/kernels_tables.h).
#include "core/transfer/transfer_kernels.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__VAES__)
#include <immintrin.h>

namespace sotto::kernel {
namespace {

using Word = TransferKernels::Word;
using Byte = TransferKernels::Byte;
using Vector = Word __attribute__((vector_size(64)));

constexpr std::size_t width = 8;
constexpr std::size_t rounds = 10;
constexpr std::size_t registers = 4;
constexpr std::size_t in_flight = 4 * registers;

inline Vector load(const Word* from) {
  Vector words;
  __builtin_memcpy(&words, from, sizeof(words));
  return words;
}
inline void store(Word* to, Vector words) { __builtin_memcpy(to, &words, sizeof(words)); }

inline void store_row(Byte* to, __m128i row) { _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), row); }
inline void store_rows(Byte* to, Vector low, Vector high) {
  const __m512i even = _mm512_unpacklo_epi64((__m512i)low, (__m512i)high);
  const __m512i odd = _mm512_unpackhi_epi64((__m512i)low, (__m512i)high);
  store_row(to, _mm512_castsi512_si128(even));
  store_row(to + 1024, _mm512_castsi512_si128(odd));
  store_row(to + 2048, _mm512_extracti32x4_epi32(even, 1));
  store_row(to + 3072, _mm512_extracti32x4_epi32(odd, 1));
  store_row(to + 4096, _mm512_extracti32x4_epi32(even, 2));
  store_row(to + 5120, _mm512_extracti32x4_epi32(odd, 2));
  store_row(to + 6144, _mm512_extracti32x4_epi32(even, 3));
  store_row(to + 7168, _mm512_extracti32x4_epi32(odd, 3));
}

#include "core/transfer/bit_matrix.inc"

inline __m512i broadcast(const Byte* from) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(from))));
}

struct Keys {
  __m512i key[rounds + 1];

  explicit Keys(const Byte* round_keys) {
#pragma GCC unroll 11
    for (std::size_t r = 0; r <= rounds; ++r) key[r] = broadcast(round_keys + 16 * r);
  }
};

inline void encrypt(__m512i* block, const Keys& keys) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < registers; ++i) block[i] = _mm512_xor_si512(block[i], keys.key[0]);
#pragma GCC unroll 9
  for (std::size_t r = 1; r < rounds; ++r) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < registers; ++i) block[i] = _mm512_aesenc_epi128(block[i], keys.key[r]);
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < registers; ++i) block[i] = _mm512_aesenclast_epi128(block[i], keys.key[rounds]);
}

inline void hash_blocks(Byte* out, const Byte* in, __m512i offset, const Keys& keys, __m512i tweak) {
  const __m512i step = _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4);
  __m512i once[registers];
  __m512i twice[registers];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < registers; ++i) once[i] = _mm512_xor_si512(_mm512_loadu_si512(in + 64 * i), offset);
  encrypt(once, keys);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < registers; ++i) {
    twice[i] = _mm512_xor_si512(once[i], tweak);
    tweak = _mm512_add_epi64(tweak, step);
  }
  encrypt(twice, keys);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < registers; ++i) _mm512_storeu_si512(out + 64 * i, _mm512_xor_si512(twice[i], once[i]));
}

void hash(Byte* out, const Byte* in, const Byte* offset, const Byte* round_keys, const Word* tweak, std::size_t count) {
  const Keys keys(round_keys);
  const __m512i offsets = broadcast(offset);
  const auto low = static_cast<long long>(tweak[0]);
  const auto high = static_cast<long long>(tweak[1]);
  __m512i next = _mm512_add_epi64(_mm512_set_epi64(high, low, high, low, high, low, high, low),
                                  _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
  const __m512i step = _mm512_maskz_set1_epi64(0x55, in_flight);
  std::size_t i = 0;
  for (; i + in_flight <= count; i += in_flight) {
    hash_blocks(out + 16 * i, in + 16 * i, offsets, keys, next);
    next = _mm512_add_epi64(next, step);
  }
  if (i == count) return;
  Byte rest[16 * in_flight] = {};
  __builtin_memcpy(rest, in + 16 * i, 16 * (count - i));
  hash_blocks(rest, rest, offsets, keys, next);
  __builtin_memcpy(out + 16 * i, rest, 16 * (count - i));
}

}  // namespace

const TransferKernels avx512_transfer_kernels = {"avx512", hash, add, join, transpose};

}  // namespace sotto::kernel
#endif
