// Symmetric matrices as triangles, row by row with the dot and scale_add of the set that includes
// this: row i of a triangle serves entry i of a result as a row and the entries after it as a
// column. Everything here is static, so that no copy serves another set.
#pragma once

#include "core/ring/kernels_tables.h"

namespace sotto::kernel {
namespace {

using Dot = Word (*)(const Word* a, const Word* b, std::size_t n);
using ScaleAdd = void (*)(Word* out, Word factor, const Word* a, std::size_t n);
using MultiplyAdd = void (*)(Word* out, const Word* a, const Word* b, std::size_t n);

template <Dot dot, ScaleAdd scale_add>
void symmetric_matvec_add_rows(Word* out, const Word* row, const Word* y, std::size_t d) {
  for (std::size_t i = 0; i < d; row += d - i, ++i) {
    out[i] += dot(row, y + i, d - i);
    scale_add(out + i + 1, y[i], row + 1, d - i - 1);
  }
}

template <Dot dot, MultiplyAdd multiply_add>
void symmetric_pairs_add_rows(Word* out, const Word* row, const Word* pairs, std::size_t d) {
  for (std::size_t i = 0; i < d; row += d - i, ++i) {
    out[i] += dot(row, pairs, d - i);
    pairs += d - i;
    multiply_add(out + i + 1, row + 1, pairs, d - i - 1);
    pairs += d - i - 1;
  }
}

template <ScaleAdd scale_add>
void symmetric_outer_add_rows(Word* out, const Word* x, const Word* y, std::size_t d) {
  for (std::size_t i = 0; i < d; out += d - i, ++i) scale_add(out, x[i], y + i, d - i);
}

inline void symmetric_outer_sum_rows(Word* __restrict out, const Word* a, const Word* b,
                                     const Word* p, const Word* q, std::size_t d) {
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) *out++ = a[i] * b[j] + p[i] * q[j];
  }
}

inline void triangle_columns_rows(Word* __restrict out, const Word* y, const Word* pairs,
                                  std::size_t d) {
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < d; ++j) *out++ = y[j] * *pairs++;
  }
}

}  // namespace
}  // namespace sotto::kernel
