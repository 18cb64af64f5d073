// The loops for any CPU, and the reference for the other tables.
#include "core/ring/kernels_tables.h"

namespace sotto::kernel::baseline {

void add(Word* out, const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += a[i];
}

void subtract(Word* out, const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] -= a[i];
}

void multiply_add(Word* out, const Word* a, const Word* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += a[i] * b[i];
}

void scale_add(Word* out, Word factor, const Word* a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] += factor * a[i];
}

Word dot(const Word* a, const Word* b, std::size_t n) {
  Word sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void matvec_add(Word* out, const Word* matrix, const Word* vector, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i) out[i] += dot(matrix + i * columns, vector, columns);
}

void matmul_add(Word* out, const Word* a, const Word* b, std::size_t m, std::size_t k, std::size_t n) {
  constexpr std::size_t depth_block = 64;
  constexpr std::size_t column_block = 512;
  for (std::size_t p0 = 0; p0 < k; p0 += depth_block) {
    const std::size_t p1 = k - p0 < depth_block ? k : p0 + depth_block;
    for (std::size_t j0 = 0; j0 < n; j0 += column_block) {
      const std::size_t width = n - j0 < column_block ? n - j0 : column_block;
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t p = p0; p < p1; ++p) {
          scale_add(out + i * n + j0, a[i * k + p], b + p * n + j0, width);
        }
      }
    }
  }
}

#include "core/ring/masked_kernels.inc"
#include "core/ring/symmetric_kernels.inc"

}  // namespace sotto::kernel::baseline
