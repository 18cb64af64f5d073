// Only intrinsics and raw pointers are allowed here (kernels_tables.h).
//
// AVX2 has no product of 64-bit words. With a = a1 2^32 + a0 and b likewise, a b = a0 b0 + 2^32 (a1 b0 + a0 b1) mod
// 2^64. One vpmulld of a with the swapped halves of b computes the low 32 bits of both cross products. Each sum has one
// part for a0 b0 and one part for the cross products. Both parts are added at the end.
#include "core/ring/kernels_tables.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace sotto::kernel::avx2 {
namespace {

constexpr std::size_t width = 4;

inline __m256i load(const Word* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(from)));
}

inline void store(Word* to, __m256i words) {
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), words);
}

inline __m256i swap_halves(__m256i words) { return _mm256_shuffle_epi32(words, 0xB1); }

inline __m256i join(__m256i low, __m256i cross) {
  const __m256i both = _mm256_add_epi32(cross, swap_halves(cross));
  return _mm256_add_epi64(low, _mm256_slli_epi64(both, 32));
}

inline __m256i multiply(__m256i a, __m256i b) {
  return join(_mm256_mul_epu32(a, b), _mm256_mullo_epi32(a, swap_halves(b)));
}

struct Sum {
  __m256i low = _mm256_setzero_si256();
  __m256i cross = _mm256_setzero_si256();

  void accumulate(__m256i a, __m256i b, __m256i b_swapped) {
    low = _mm256_add_epi64(low, _mm256_mul_epu32(a, b));
    cross = _mm256_add_epi32(cross, _mm256_mullo_epi32(a, b_swapped));
  }
  Word total() const {
    Word words[width];
    store(words, join(low, cross));
    return words[0] + words[1] + words[2] + words[3];
  }
};

}  // namespace

void add(Word* out, const Word* a, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) store(out + i, _mm256_add_epi64(load(out + i), load(a + i)));
  for (; i < n; ++i) out[i] += a[i];
}

void subtract(Word* out, const Word* a, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) store(out + i, _mm256_sub_epi64(load(out + i), load(a + i)));
  for (; i < n; ++i) out[i] -= a[i];
}

void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const __m256i product = multiply(load(a + i), load(b + i));
    store(out + i, _mm256_add_epi64(load(out + i), product));
  }
  for (; i < n; ++i) out[i] += a[i] * b[i];
}

void scale_add(Word* out, Word factor, const Word* a, std::size_t n) {
  const __m256i scale = _mm256_set1_epi64x(static_cast<long long>(factor));
  const __m256i scale_swapped = swap_halves(scale);
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const __m256i words = load(a + i);
    const __m256i product = join(_mm256_mul_epu32(words, scale), _mm256_mullo_epi32(words, scale_swapped));
    store(out + i, _mm256_add_epi64(load(out + i), product));
  }
  for (; i < n; ++i) out[i] += factor * a[i];
}

Word dot(const Word* a, const Word* b, std::size_t n) {
  Sum even;
  Sum odd;
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    const __m256i b0 = load(b + i);
    const __m256i b1 = load(b + i + width);
    even.accumulate(load(a + i), b0, swap_halves(b0));
    odd.accumulate(load(a + i + width), b1, swap_halves(b1));
  }
  Word rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return even.total() + odd.total() + rest;
}

void matvec_add(Word* out, const Word* matrix, const Word* vector, std::size_t rows, std::size_t columns) {
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const Word* row = matrix + i * columns;
    Sum sum[4];
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
      const __m256i v = load(vector + j);
      const __m256i v_swapped = swap_halves(v);
      for (std::size_t r = 0; r < 4; ++r) {
        sum[r].accumulate(load(row + r * columns + j), v, v_swapped);
      }
    }
    for (std::size_t r = 0; r < 4; ++r) {
      Word rest = 0;
      for (std::size_t t = j; t < columns; ++t) rest += row[r * columns + t] * vector[t];
      out[i + r] += sum[r].total() + rest;
    }
  }
  for (; i < rows; ++i) out[i] += dot(matrix + i * columns, vector, columns);
}

// With a larger tile, g++ 12 would keep some sums in memory.
void tile(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel, std::size_t depth) {
  static_assert(tile_columns == width);
  Sum sum[tile_rows];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < tile_rows; ++r) _mm_prefetch(out + r * out_stride, _MM_HINT_T0);
  // The loop runs at least once. If the loop could run zero times, g++ would copy all sums in each iteration.
  do {
    const __m256i b = load(b_panel);
    const __m256i b_swapped = swap_halves(b);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tile_rows; ++r) {
      sum[r].accumulate(_mm256_set1_epi64x(static_cast<long long>(a_panel[r])), b, b_swapped);
    }
    a_panel += tile_rows;
    b_panel += tile_columns;
  } while (--depth != 0);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < tile_rows; ++r) {
    Word* target = out + r * out_stride;
    store(target, _mm256_add_epi64(load(target), join(sum[r].low, sum[r].cross)));
  }
}

#include "core/ring/masked_kernels.inc"

}  // namespace sotto::kernel::avx2
#endif
