// Symmetric matrices of up to 64 rows. Entry (i, j) of a triangle is loaded into word j of the registers, so the sum
// for column j stays in word j.
#include "core/ring/kernels_tables.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

namespace sotto::kernel::avx512 {

namespace any_size {
#include "core/ring/symmetric_kernels.inc"
}  // namespace any_size

namespace {

constexpr std::size_t width = 8;
constexpr std::size_t most_blocks = 8;

inline __mmask8 columns_from(std::size_t from, std::size_t columns) {
  const unsigned all = columns >= width ? 0xFFU : (1U << columns) - 1U;
  return static_cast<__mmask8>(all & (0xFFU << from));
}

inline __m512i load(__mmask8 mask, const Word* from) { return _mm512_maskz_loadu_epi64(mask, from); }

inline void store_forward(Word* out, const Word* end, __mmask8 held, __m512i words) {
  if (end - out >= static_cast<std::ptrdiff_t>(width)) {
    _mm512_storeu_si512(out, words);
  } else {
    _mm512_mask_storeu_epi64(out, held, words);
  }
}

inline __m512i totals(const __m512i* rows) {
  __m512i pairs[4];
  for (std::size_t i = 0; i < 4; ++i) {
    pairs[i] = _mm512_add_epi64(_mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]),
                                _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]));
  }
  __m512i quarters[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const __m512i even = _mm512_shuffle_i64x2(pairs[2 * i], pairs[2 * i + 1], 0x88);
    const __m512i odd = _mm512_shuffle_i64x2(pairs[2 * i], pairs[2 * i + 1], 0xDD);
    quarters[i] = _mm512_add_epi64(even, odd);
  }
  const __m512i even = _mm512_shuffle_i64x2(quarters[0], quarters[1], 0x88);
  const __m512i odd = _mm512_shuffle_i64x2(quarters[0], quarters[1], 0xDD);
  return _mm512_add_epi64(even, odd);
}

template <std::size_t blocks>
void matvec_of(Word* out, const Word* row, const Word* y, std::size_t d) {
  const std::size_t last = d - width * (blocks - 1);
  __m512i vector[blocks];
  __m512i sum[blocks];
  for (std::size_t b = 0; b < blocks; ++b) {
    const __mmask8 held = columns_from(0, b + 1 < blocks ? width : last);
    vector[b] = load(held, y + b * width);
    sum[b] = load(held, out + b * width);
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t rows = block + 1 < blocks ? width : last;
    __m512i dots[width];
    for (std::size_t r = 0; r < width; ++r) dots[r] = _mm512_setzero_si512();
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = block * width + r;
      const __m512i factor = _mm512_set1_epi64(static_cast<long long>(y[i]));
      const Word* entries = row - r;
      const std::size_t held = block + 1 < blocks ? width : last;
      const __m512i first = load(columns_from(r, held), entries);
      dots[r] = _mm512_mullo_epi64(first, vector[block]);
      sum[block] =
          _mm512_mask_add_epi64(sum[block], columns_from(r + 1, held), sum[block], _mm512_mullo_epi64(first, factor));
      for (std::size_t b = block + 1; b < blocks; ++b) {
        const __m512i words = load(columns_from(0, b + 1 < blocks ? width : last), entries + (b - block) * width);
        dots[r] = _mm512_add_epi64(dots[r], _mm512_mullo_epi64(words, vector[b]));
        sum[b] = _mm512_add_epi64(sum[b], _mm512_mullo_epi64(words, factor));
      }
      row += d - i;
    }
    sum[block] = _mm512_add_epi64(sum[block], totals(dots));
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    const __mmask8 held = columns_from(0, b + 1 < blocks ? width : last);
    _mm512_mask_storeu_epi64(out + b * width, held, sum[b]);
  }
}

template <std::size_t blocks>
void pairs_of(Word* out, const Word* row, const Word* pairs, std::size_t d) {
  const std::size_t last = d - width * (blocks - 1);
  __m512i sum[blocks];
  for (std::size_t b = 0; b < blocks; ++b) {
    sum[b] = load(columns_from(0, b + 1 < blocks ? width : last), out + b * width);
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t rows = block + 1 < blocks ? width : last;
    __m512i dots[width];
    for (std::size_t r = 0; r < width; ++r) dots[r] = _mm512_setzero_si512();
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = block * width + r;
      const Word* entries = row - r;
      const Word* as_row = pairs - r;
      const Word* as_column = pairs + (d - i) - (r + 1);
      for (std::size_t b = block; b < blocks; ++b) {
        const std::size_t held = b + 1 < blocks ? width : last;
        const std::size_t at = (b - block) * width;
        const __mmask8 rest = columns_from(b == block ? r : 0, held);
        const __mmask8 behind = columns_from(b == block ? r + 1 : 0, held);
        const __m512i words = load(rest, entries + at);
        dots[r] = _mm512_add_epi64(dots[r], _mm512_mullo_epi64(words, load(rest, as_row + at)));
        sum[b] = _mm512_add_epi64(sum[b], _mm512_mullo_epi64(words, load(behind, as_column + at)));
      }
      row += d - i;
      pairs += 2 * (d - i) - 1;
    }
    sum[block] = _mm512_add_epi64(sum[block], totals(dots));
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    const __mmask8 held = columns_from(0, b + 1 < blocks ? width : last);
    _mm512_mask_storeu_epi64(out + b * width, held, sum[b]);
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
  const std::size_t blocks = (d + width - 1) / width;
  if (blocks <= most_blocks) return matvec_by_blocks[blocks - 1](out, triangle, y, d);
  any_size::symmetric_matvec_add(out, triangle, y, d);
}

void symmetric_pairs_add(Word* out, const Word* triangle, const Word* pairs, std::size_t d) {
  if (d == 0) return;
  const std::size_t blocks = (d + width - 1) / width;
  if (blocks <= most_blocks) return pairs_by_blocks[blocks - 1](out, triangle, pairs, d);
  any_size::symmetric_pairs_add(out, triangle, pairs, d);
}

void symmetric_outer_add(Word* out, const Word* x, const Word* y, std::size_t d) {
  for (std::size_t i = 0; i < d; ++i) {
    const __m512i factor = _mm512_set1_epi64(static_cast<long long>(x[i]));
    const std::size_t n = d - i;
    for (std::size_t j = 0; j < n; j += width) {
      const __mmask8 held = columns_from(0, n - j);
      const __m512i product = _mm512_mullo_epi64(load(held, y + i + j), factor);
      _mm512_mask_storeu_epi64(out + j, held, _mm512_add_epi64(load(held, out + j), product));
    }
    out += n;
  }
}

void symmetric_outer_sum(Word* out, const Word* a, const Word* b, const Word* p, const Word* q, std::size_t d) {
  const Word* const end = out + d * (d + 1) / 2;
  for (std::size_t i = 0; i < d; ++i) {
    const __m512i of_a = _mm512_set1_epi64(static_cast<long long>(a[i]));
    const __m512i of_b = _mm512_set1_epi64(static_cast<long long>(b[i]));
    const __m512i of_p = _mm512_set1_epi64(static_cast<long long>(p[i]));
    const __m512i of_q = _mm512_set1_epi64(static_cast<long long>(q[i]));
    const std::size_t n = d - i;
    for (std::size_t j = 0; j < n; j += width) {
      const __mmask8 held = columns_from(0, n - j);
      const __m512i ab = _mm512_add_epi64(_mm512_mullo_epi64(load(held, b + i + j), of_a),
                                          _mm512_mullo_epi64(load(held, a + i + j), of_b));
      const __m512i pq = _mm512_add_epi64(_mm512_mullo_epi64(load(held, q + i + j), of_p),
                                          _mm512_mullo_epi64(load(held, p + i + j), of_q));
      store_forward(out + j, end, held, _mm512_add_epi64(ab, pq));
    }
    out += n;
  }
}

void triangle_columns(Word* out, const Word* y, const Word* pairs, std::size_t d) {
  const Word* const end = out + d * (d + 1) / 2;
  for (std::size_t i = 0; i < d; ++i) {
    const std::size_t n = d - i;
    for (std::size_t j = 0; j < n; j += width) {
      const __mmask8 held = columns_from(0, n - j);
      store_forward(out + j, end, held, _mm512_mullo_epi64(load(held, y + i + j), load(held, pairs + j)));
    }
    out += n;
    pairs += n;
  }
}

#include "core/ring/masked_kernels.inc"

}  // namespace sotto::kernel::avx512
#endif
