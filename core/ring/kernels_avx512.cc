// Only intrinsics and raw pointers are allowed here (kernels_tables.h).
#include "core/ring/kernels_tables.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

namespace sotto::kernel::avx512 {
namespace {

constexpr std::size_t width = 8;

// Selects the first `count` < 8 words. A masked load of no words from an unmapped page is correct, but hundreds of
// times slower, so callers skip such loads.
inline __mmask8 first(std::size_t count) { return static_cast<__mmask8>((1U << count) - 1U); }

// Replaces _mm512_reduce_add_epi64, whose last addition in g++ 12 is of signed words and overflows.
inline Word total(__m512i words) {
  const __m256i four = _mm256_add_epi64(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
  const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  const __m128i one = _mm_add_epi64(two, _mm_unpackhi_epi64(two, two));
  return static_cast<Word>(_mm_cvtsi128_si64(one));
}

inline __mmask8 up_to(std::size_t left) { return left >= width ? static_cast<__mmask8>(0xFF) : first(left); }

template <std::size_t rows, std::size_t registers>
void unpacked_tile(Word* out, const Word* a, const Word* b, std::size_t k, std::size_t n, std::size_t columns) {
  const __mmask8 masks[2] = {up_to(columns), columns > width ? up_to(columns - width) : first(0)};
  __m512i sum[rows][registers];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < registers; ++c) {
      sum[r][c] = _mm512_maskz_loadu_epi64(masks[c], out + r * n + c * width);
    }
  }
  std::size_t p = 0;
  do {
    __m512i words[registers];
#pragma GCC unroll 2
    for (std::size_t c = 0; c < registers; ++c) {
      words[c] = _mm512_maskz_loadu_epi64(masks[c], b + p * n + c * width);
    }
#pragma GCC unroll 6
    for (std::size_t r = 0; r < rows; ++r) {
      const __m512i factor = _mm512_set1_epi64(static_cast<long long>(a[r * k + p]));
#pragma GCC unroll 2
      for (std::size_t c = 0; c < registers; ++c) {
        sum[r][c] = _mm512_add_epi64(sum[r][c], _mm512_mullo_epi64(factor, words[c]));
      }
    }
  } while (++p < k);
#pragma GCC unroll 6
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < registers; ++c) {
      _mm512_mask_storeu_epi64(out + r * n + c * width, masks[c], sum[r][c]);
    }
  }
}

template <std::size_t registers>
void unpacked_columns(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n,
                      std::size_t columns) {
  std::size_t i = 0;
  for (; i + 6 <= m; i += 6) {
    unpacked_tile<6, registers>(out + i * n, a + i * k, b, k, n, columns);
  }
  for (; i + 2 <= m; i += 2) {
    unpacked_tile<2, registers>(out + i * n, a + i * k, b, k, n, columns);
  }
  if (i < m) unpacked_tile<1, registers>(out + i * n, a + i * k, b, k, n, columns);
}

}  // namespace

void matmul_add_unpacked(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n) {
  if (k == 0) return;
  std::size_t j = 0;
  for (; n - j > width; j += 2 * width) {
    const std::size_t columns = n - j < 2 * width ? n - j : 2 * width;
    unpacked_columns<2>(out + j, a, b + j, m, k, n, columns);
    if (columns < 2 * width) return;
  }
  if (j < n) unpacked_columns<1>(out + j, a, b + j, m, k, n, n - j);
}

void add(Word* out, const Word* a, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const __m512i sum = _mm512_add_epi64(_mm512_loadu_si512(out + i), _mm512_loadu_si512(a + i));
    _mm512_storeu_si512(out + i, sum);
  }
  if (i == n) return;
  const __mmask8 rest = first(n - i);
  const __m512i sum = _mm512_add_epi64(_mm512_maskz_loadu_epi64(rest, out + i), _mm512_maskz_loadu_epi64(rest, a + i));
  _mm512_mask_storeu_epi64(out + i, rest, sum);
}

void subtract(Word* out, const Word* a, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const __m512i rest = _mm512_sub_epi64(_mm512_loadu_si512(out + i), _mm512_loadu_si512(a + i));
    _mm512_storeu_si512(out + i, rest);
  }
  if (i == n) return;
  const __mmask8 rest = first(n - i);
  const __m512i difference =
      _mm512_sub_epi64(_mm512_maskz_loadu_epi64(rest, out + i), _mm512_maskz_loadu_epi64(rest, a + i));
  _mm512_mask_storeu_epi64(out + i, rest, difference);
}

void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n) {
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const __m512i product = _mm512_mullo_epi64(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
    _mm512_storeu_si512(out + i, _mm512_add_epi64(_mm512_loadu_si512(out + i), product));
  }
  if (i == n) return;
  const __mmask8 rest = first(n - i);
  const __m512i product =
      _mm512_mullo_epi64(_mm512_maskz_loadu_epi64(rest, a + i), _mm512_maskz_loadu_epi64(rest, b + i));
  const __m512i old = _mm512_maskz_loadu_epi64(rest, out + i);
  _mm512_mask_storeu_epi64(out + i, rest, _mm512_add_epi64(old, product));
}

void scale_add(Word* out, Word factor, const Word* a, std::size_t n) {
  const __m512i scale = _mm512_set1_epi64(static_cast<long long>(factor));
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const __m512i product = _mm512_mullo_epi64(_mm512_loadu_si512(a + i), scale);
    _mm512_storeu_si512(out + i, _mm512_add_epi64(_mm512_loadu_si512(out + i), product));
  }
  if (i == n) return;
  const __mmask8 rest = first(n - i);
  const __m512i product = _mm512_mullo_epi64(_mm512_maskz_loadu_epi64(rest, a + i), scale);
  const __m512i old = _mm512_maskz_loadu_epi64(rest, out + i);
  _mm512_mask_storeu_epi64(out + i, rest, _mm512_add_epi64(old, product));
}

Word dot(const Word* a, const Word* b, std::size_t n) {
  __m512i sum[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
  std::size_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width) {
    for (std::size_t s = 0; s < 4; ++s) {
      const __m512i left = _mm512_loadu_si512(a + i + s * width);
      const __m512i right = _mm512_loadu_si512(b + i + s * width);
      sum[s] = _mm512_add_epi64(sum[s], _mm512_mullo_epi64(left, right));
    }
  }
  for (; i + width <= n; i += width) {
    const __m512i left = _mm512_loadu_si512(a + i);
    sum[0] = _mm512_add_epi64(sum[0], _mm512_mullo_epi64(left, _mm512_loadu_si512(b + i)));
  }
  if (i < n) {
    const __mmask8 rest = first(n - i);
    const __m512i left = _mm512_maskz_loadu_epi64(rest, a + i);
    const __m512i right = _mm512_maskz_loadu_epi64(rest, b + i);
    sum[1] = _mm512_add_epi64(sum[1], _mm512_mullo_epi64(left, right));
  }
  const __m512i halves[2] = {_mm512_add_epi64(sum[0], sum[1]), _mm512_add_epi64(sum[2], sum[3])};
  return total(_mm512_add_epi64(halves[0], halves[1]));
}

void matvec_add(Word* out, const Word* matrix, const Word* vector, std::size_t rows, std::size_t columns) {
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const Word* row = matrix + i * columns;
    __m512i sum[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
      const __m512i v = _mm512_loadu_si512(vector + j);
      for (std::size_t r = 0; r < 4; ++r) {
        const __m512i product = _mm512_mullo_epi64(_mm512_loadu_si512(row + r * columns + j), v);
        sum[r] = _mm512_add_epi64(sum[r], product);
      }
    }
    const __mmask8 rest = first(columns - j);
    const __m512i v = _mm512_maskz_loadu_epi64(rest, vector + j);
    for (std::size_t r = 0; r < 4; ++r) {
      const __m512i last = _mm512_maskz_loadu_epi64(rest, row + r * columns + j);
      sum[r] = _mm512_add_epi64(sum[r], _mm512_mullo_epi64(last, v));
      out[i + r] += total(sum[r]);
    }
  }
  for (; i < rows; ++i) out[i] += dot(matrix + i * columns, vector, columns);
}

void tile(Word* out, std::size_t out_stride, const Word* a_panel, const Word* b_panel, std::size_t depth) {
  constexpr std::size_t registers = tile_columns / width;
  __m512i sum[tile_rows][registers];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < tile_rows; ++r) {
    _mm_prefetch(out + r * out_stride, _MM_HINT_T0);
    _mm_prefetch(out + r * out_stride + tile_columns - 1, _MM_HINT_T0);
#pragma GCC unroll 2
    for (std::size_t c = 0; c < registers; ++c) sum[r][c] = _mm512_setzero_si512();
  }
  // The loop runs at least once. If the loop could run zero times, g++ would copy all sums in each iteration.
  do {
    __m512i b[registers];
#pragma GCC unroll 2
    for (std::size_t c = 0; c < registers; ++c) b[c] = _mm512_loadu_si512(b_panel + c * width);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < tile_rows; ++r) {
      const __m512i a = _mm512_set1_epi64(static_cast<long long>(a_panel[r]));
#pragma GCC unroll 2
      for (std::size_t c = 0; c < registers; ++c) {
        sum[r][c] = _mm512_add_epi64(sum[r][c], _mm512_mullo_epi64(a, b[c]));
      }
    }
    a_panel += tile_rows;
    b_panel += tile_columns;
  } while (--depth != 0);
#pragma GCC unroll 12
  for (std::size_t r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 2
    for (std::size_t c = 0; c < registers; ++c) {
      Word* target = out + r * out_stride + c * width;
      _mm512_storeu_si512(target, _mm512_add_epi64(_mm512_loadu_si512(target), sum[r][c]));
    }
  }
}

}  // namespace sotto::kernel::avx512
#endif
