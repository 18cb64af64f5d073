// Only intrinsics and raw pointers are allowed here (kernels_tables.h).
//
// Matrices of up to 32 rows. Entry (i, j) of a triangle is loaded into word j of the registers, so the sum for column j
// stays in word j.
#include "core/ring/kernels_tables.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace sotto::kernel::avx2 {

namespace any_size {
#include "core/ring/symmetric_kernels.inc"
}  // namespace any_size

namespace {

constexpr std::size_t columns = 4;
constexpr std::size_t most_blocks = 8;

inline __m256i words_at(const Word* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(from)));
}

inline __m256i broadcast(Word word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }

inline __m256i columns_from(std::size_t from, std::size_t end) {
  const __m256i column = _mm256_set_epi64x(3, 2, 1, 0);
  const __m256i below = _mm256_cmpgt_epi64(broadcast(from), column);
  return _mm256_andnot_si256(below, _mm256_cmpgt_epi64(broadcast(end), column));
}

inline __m256i masked_words_at(__m256i held, const Word* from) {
  return _mm256_maskload_epi64(static_cast<const long long*>(static_cast<const void*>(from)), held);
}

inline void store_words(Word* to, __m256i words) {
  _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(to)), words);
}

inline __m256i swapped(__m256i words) { return _mm256_shuffle_epi32(words, 0xB1); }

struct Parts {
  __m256i low;
  __m256i cross;

  void take(__m256i a, __m256i b, __m256i b_swapped) {
    low = _mm256_add_epi64(low, _mm256_mul_epu32(a, b));
    cross = _mm256_add_epi32(cross, _mm256_mullo_epi32(a, b_swapped));
  }
  [[nodiscard]] __m256i whole() const {
    const __m256i both = _mm256_add_epi32(cross, swapped(cross));
    return _mm256_add_epi64(low, _mm256_slli_epi64(both, 32));
  }
};

inline Parts nothing() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }

inline __m256i product(__m256i a, __m256i b) {
  Parts parts{_mm256_mul_epu32(a, b), _mm256_mullo_epi32(a, swapped(b))};
  return parts.whole();
}

inline __m256i totals(const Parts* rows) {
  const __m256i a = rows[0].whole();
  const __m256i b = rows[1].whole();
  const __m256i c = rows[2].whole();
  const __m256i d = rows[3].whole();
  const __m256i ab = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
  const __m256i cd = _mm256_add_epi64(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
  return _mm256_add_epi64(_mm256_permute2x128_si256(ab, cd, 0x20), _mm256_permute2x128_si256(ab, cd, 0x31));
}

inline void add_columns(Word* out, std::size_t held, __m256i sum) {
  if (held == columns) return store_words(out, _mm256_add_epi64(words_at(out), sum));
  Word words[columns];
  store_words(words, sum);
  for (std::size_t c = 0; c < held; ++c) out[c] += words[c];
}

template <std::size_t blocks>
void matvec_of(Word* out, const Word* row, const Word* y, std::size_t d) {
  const std::size_t last = d - columns * (blocks - 1);
  __m256i vector[blocks];
  __m256i vector_swapped[blocks];
  Parts sum[blocks];
#pragma GCC unroll 8
  for (std::size_t b = 0; b < blocks; ++b) {
    vector[b] = b + 1 < blocks ? words_at(y + b * columns) : masked_words_at(columns_from(0, last), y + b * columns);
    vector_swapped[b] = swapped(vector[b]);
    sum[b] = nothing();
  }
#pragma GCC unroll 8
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t rows = block + 1 < blocks ? columns : last;
    Parts dots[columns] = {nothing(), nothing(), nothing(), nothing()};
#pragma GCC unroll 4
    for (std::size_t r = 0; r < columns; ++r) {
      if (r >= rows) break;
      const std::size_t i = block * columns + r;
      const __m256i factor = broadcast(y[i]);
      const __m256i factor_swapped = swapped(factor);
      const Word* entries = row - r;
      const __m256i first = masked_words_at(columns_from(r, rows), entries);
      dots[r].take(first, vector[block], vector_swapped[block]);
      sum[block].take(_mm256_and_si256(first, columns_from(r + 1, columns)), factor, factor_swapped);
#pragma GCC unroll 8
      for (std::size_t b = block + 1; b < blocks; ++b) {
        const Word* at = entries + (b - block) * columns;
        const __m256i words = b + 1 < blocks ? words_at(at) : masked_words_at(columns_from(0, last), at);
        dots[r].take(words, vector[b], vector_swapped[b]);
        sum[b].take(words, factor, factor_swapped);
      }
      row += d - i;
    }
    add_columns(out + block * columns, rows, _mm256_add_epi64(sum[block].whole(), totals(dots)));
  }
}

template <std::size_t blocks>
void pairs_of(Word* out, const Word* row, const Word* pairs, std::size_t d) {
  const std::size_t last = d - columns * (blocks - 1);
  Parts sum[blocks];
#pragma GCC unroll 8
  for (std::size_t b = 0; b < blocks; ++b) sum[b] = nothing();
#pragma GCC unroll 8
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t rows = block + 1 < blocks ? columns : last;
    Parts dots[columns] = {nothing(), nothing(), nothing(), nothing()};
#pragma GCC unroll 4
    for (std::size_t r = 0; r < columns; ++r) {
      if (r >= rows) break;
      const std::size_t i = block * columns + r;
      const Word* entries = row - r;
      const Word* as_row = pairs - r;
      const Word* as_column = pairs + (d - i) - (r + 1);
#pragma GCC unroll 8
      for (std::size_t b = block; b < blocks; ++b) {
        const std::size_t at = (b - block) * columns;
        const bool whole = b > block && b + 1 < blocks;
        const std::size_t end = b + 1 < blocks ? columns : last;
        const __m256i rest = columns_from(b == block ? r : 0, end);
        const __m256i behind = columns_from(b == block ? r + 1 : 0, end);
        const __m256i words = whole ? words_at(entries + at) : masked_words_at(rest, entries + at);
        const __m256i of_row = whole ? words_at(as_row + at) : masked_words_at(rest, as_row + at);
        const __m256i of_column = whole ? words_at(as_column + at) : masked_words_at(behind, as_column + at);
        const __m256i words_swapped = swapped(words);
        dots[r].take(of_row, words, words_swapped);
        sum[b].take(of_column, words, words_swapped);
      }
      row += d - i;
      pairs += 2 * (d - i) - 1;
    }
    add_columns(out + block * columns, rows, _mm256_add_epi64(sum[block].whole(), totals(dots)));
  }
}

using OfBlocks = void (*)(Word* out, const Word* row, const Word* words, std::size_t d);
constexpr OfBlocks matvec_by_blocks[most_blocks] = {matvec_of<1>, matvec_of<2>, matvec_of<3>, matvec_of<4>,
                                                    matvec_of<5>, matvec_of<6>, matvec_of<7>, matvec_of<8>};
constexpr OfBlocks pairs_by_blocks[most_blocks] = {pairs_of<1>, pairs_of<2>, pairs_of<3>, pairs_of<4>,
                                                   pairs_of<5>, pairs_of<6>, pairs_of<7>, pairs_of<8>};

}  // namespace

void symmetric_matvec_add(Word* out, const Word* triangle, const Word* y, std::size_t d) {
  if (d == 0) return;
  const std::size_t blocks = (d + columns - 1) / columns;
  if (blocks <= most_blocks) return matvec_by_blocks[blocks - 1](out, triangle, y, d);
  any_size::symmetric_matvec_add(out, triangle, y, d);
}

void symmetric_pairs_add(Word* out, const Word* triangle, const Word* pairs, std::size_t d) {
  if (d == 0) return;
  const std::size_t blocks = (d + columns - 1) / columns;
  if (blocks <= most_blocks) return pairs_by_blocks[blocks - 1](out, triangle, pairs, d);
  any_size::symmetric_pairs_add(out, triangle, pairs, d);
}

void symmetric_outer_add(Word* out, const Word* x, const Word* y, std::size_t d) {
  for (std::size_t i = 0; i < d; ++i) {
    const __m256i factor = broadcast(x[i]);
    const __m256i factor_swapped = swapped(factor);
    std::size_t j = i;
    for (; j + columns <= d; j += columns, out += columns) {
      Parts sum{words_at(out), _mm256_setzero_si256()};
      sum.take(words_at(y + j), factor, factor_swapped);
      store_words(out, sum.whole());
    }
    for (; j < d; ++j) *out++ += x[i] * y[j];
  }
}

void symmetric_outer_sum(Word* out, const Word* a, const Word* b, const Word* p, const Word* q, std::size_t d) {
  std::size_t i = 0;
  for (; i + columns <= d; ++i) {
    const __m256i of_a = broadcast(a[i]);
    const __m256i of_b = broadcast(b[i]);
    const __m256i of_p = broadcast(p[i]);
    const __m256i of_q = broadcast(q[i]);
    const auto sum_at = [&](std::size_t j) {
      Parts sum = nothing();
      sum.take(words_at(b + j), of_a, swapped(of_a));
      sum.take(words_at(a + j), of_b, swapped(of_b));
      sum.take(words_at(q + j), of_p, swapped(of_p));
      sum.take(words_at(p + j), of_q, swapped(of_q));
      return sum.whole();
    };
    std::size_t j = i;
    for (; j + columns <= d; j += columns) store_words(out + (j - i), sum_at(j));
    if (j < d) store_words(out + (d - columns - i), sum_at(d - columns));
    out += d - i;
  }
  for (; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) *out++ = a[i] * b[j] + b[i] * a[j] + p[i] * q[j] + q[i] * p[j];
  }
}

void triangle_columns(Word* out, const Word* y, const Word* pairs, std::size_t d) {
  std::size_t i = 0;
  for (; i + columns <= d; ++i) {
    const std::size_t n = d - i;
    std::size_t j = 0;
    for (; j + columns <= n; j += columns) store_words(out + j, product(words_at(pairs + j), words_at(y + i + j)));
    if (j < n) store_words(out + n - columns, product(words_at(pairs + n - columns), words_at(y + d - columns)));
    out += n;
    pairs += n;
  }
  for (; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) *out++ = y[j] * *pairs++;
  }
}

}  // namespace sotto::kernel::avx2
#endif
