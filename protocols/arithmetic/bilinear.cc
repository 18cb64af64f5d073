#include "sotto/protocol/arithmetic/bilinear.h"

#include <algorithm>

#include "core/ring/kernels.h"

namespace sotto::protocols {
namespace {

std::size_t row_step(Shape shape) { return shape.rows == 1 ? 0 : shape.columns; }

}  // namespace

void detail::require_rows_fit(Shape x, Shape y, const char* what) {
  if (y.columns == x.columns && (y.rows == x.rows || y.rows == 1)) return;
  throw std::invalid_argument(std::string(what) + " of shapes " + to_string(x) + " and " + to_string(y));
}

void Elementwise::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const Kernels& k = kernels();
  if (same_rows()) return k.multiply_add(sum, x, y, left.lanes());
  for (std::size_t r = 0; r < left.rows; ++r) {
    k.multiply_add(sum + r * left.columns, x + r * left.columns, y, left.columns);
  }
}

void Elementwise::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  const Kernels& k = kernels();
  if (same_rows()) return k.multiply(products, x, y, left.lanes());
  for (std::size_t r = 0; r < left.rows; ++r) {
    k.multiply(products + r * left.columns, x + r * left.columns, y, left.columns);
  }
}

void Elementwise::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  kernels().multiply(sum, x, pairs, left.lanes());
}

void Elementwise::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  const std::size_t step = row_step(right);
  for (std::size_t r = 0; r < left.rows; ++r) {
    const std::size_t at = r * left.columns;
    kernels().multiply(sum + at, y + r * step, pairs + at, left.columns);
  }
}

Words Elementwise::local_product(const MaskedOperand& x, const MaskedOperand& y, bool adds_constants) const {
  if (!same_rows()) return BilinearMap::local_product(x, y, adds_constants);
  Words result(out.lanes());
  kernels().masked_multiply(result.data(), x.d.data(), x.mask.data(), y.d.data(), y.mask.data(), adds_constants ? 1 : 0,
                            result.size());
  return result;
}

void RowDot::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const Kernels& k = kernels();
  if (right.rows == 1) return k.matvec_add(sum, x, y, left.rows, left.columns);
  for (std::size_t r = 0; r < left.rows; ++r) {
    sum[r] += k.dot(x + r * left.columns, y + r * left.columns, left.columns);
  }
}

void RowDot::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t step = row_step(right);
  for (std::size_t r = 0; r < left.rows; ++r) {
    const std::size_t at = r * left.columns;
    kernels().multiply(products + at, x + at, y + r * step, left.columns);
  }
}

void RowDot::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  for (std::size_t r = 0; r < left.rows; ++r) {
    const std::size_t at = r * left.columns;
    sum[r] = kernels().dot(x + at, pairs + at, left.columns);
  }
}

void RowDot::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  const std::size_t step = row_step(right);
  for (std::size_t r = 0; r < left.rows; ++r) {
    sum[r] = kernels().dot(y + r * step, pairs + r * left.columns, left.columns);
  }
}

void RowScale::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  if (single_columns()) return kernels().multiply_add(sum, x, y, out.rows);
  const std::size_t step = row_step(right);
  for (std::size_t r = 0; r < out.rows; ++r) {
    kernels().scale_add(sum + r * out.columns, x[r * row_step(left)], y + r * step, out.columns);
  }
}

void RowScale::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  if (single_columns()) return kernels().multiply(products, x, y, out.rows);
  const std::size_t step = row_step(right);
  for (std::size_t r = 0; r < out.rows; ++r) {
    kernels().scale(products + r * out.columns, x[r * row_step(left)], y + r * step, out.columns);
  }
}

void RowScale::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  if (single_columns()) return kernels().multiply(sum, x, pairs, out.rows);
  for (std::size_t r = 0; r < out.rows; ++r) {
    const std::size_t at = r * out.columns;
    kernels().scale(sum + at, x[r * row_step(left)], pairs + at, out.columns);
  }
}

void RowScale::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  if (single_columns()) return kernels().multiply(sum, y, pairs, out.rows);
  const std::size_t step = row_step(right);
  for (std::size_t r = 0; r < out.rows; ++r) {
    const std::size_t at = r * out.columns;
    kernels().multiply(sum + at, y + r * step, pairs + at, out.columns);
  }
}

void SymmetricMatVec::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t d = right.columns;
  for (std::size_t r = 0; r < left.rows; ++r) {
    kernels().symmetric_matvec_add(sum + r * d, x + r * left.columns, y + r * row_step(right), d);
  }
}

void SymmetricMatVec::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  const Kernels& k = kernels();
  const std::size_t d = right.columns;
  for (std::size_t r = 0; r < left.rows; ++r, y += row_step(right)) {
    for (std::size_t i = 0; i < d; x += d - i, ++i) {
      k.multiply(products, x, y + i, d - i);
      products += d - i;
      k.scale(products, y[i], x + 1, d - i - 1);
      products += d - i - 1;
    }
  }
}

void SymmetricMatVec::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  const std::size_t d = right.columns;
  for (std::size_t r = 0; r < left.rows; ++r) {
    kernels().symmetric_pairs_add(sum + r * d, x + r * left.columns, pairs + r * d * d, d);
  }
}

void SymmetricMatVec::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  const Kernels& k = kernels();
  const std::size_t d = right.columns;
  for (std::size_t r = 0; r < left.rows; ++r, sum += d, y += row_step(right)) {
    for (std::size_t i = 0; i < d; ++i) {
      sum[i] += k.dot(y + i, pairs, d - i);
      pairs += d - i;
      k.scale_add(sum + i + 1, y[i], pairs, d - i - 1);
      pairs += d - i - 1;
    }
  }
}

void SymmetricOuter::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t d = left.columns;
  for (std::size_t r = 0; r < left.rows; ++r, sum += out.columns, x += d, y += d) {
    kernels().symmetric_outer_add(sum, x, y, d);
    kernels().symmetric_outer_add(sum, y, x, d);
  }
}

void SymmetricOuter::sum_of_products(std::uint64_t* sum, const std::uint64_t* a, const std::uint64_t* b,
                                     const std::uint64_t* p, const std::uint64_t* q) const {
  const std::size_t d = left.columns;
  for (std::size_t r = 0; r < left.rows; ++r, a += d, b += d, p += d, q += d, sum += out.columns) {
    kernels().symmetric_outer_sum(sum, a, b, p, q, d);
  }
}

Words SymmetricOuter::local_product(const MaskedOperand& x, const MaskedOperand& y, bool adds_constants) const {
  Words result(out.lanes());
  sum_of_products(result.data(), x.d.data(), shares_of(y, adds_constants).data(), x.mask.data(), negated(y.d).data());
  return result;
}

void SymmetricOuter::half_of_products(std::uint64_t* products, const std::uint64_t* rows,
                                      const std::uint64_t* columns) const {
  const std::size_t d = left.columns;
  for (std::size_t r = 0; r < left.rows; ++r, rows += d, columns += d) {
    for (std::size_t i = 0; i < d; products += d - i, ++i) {
      kernels().scale(products, rows[i], columns + i, d - i);
    }
  }
}

void SymmetricOuter::sum_of_pairs(std::uint64_t* sum, const std::uint64_t* z, const std::uint64_t* by_row,
                                  const std::uint64_t* by_column) const {
  const std::size_t d = left.columns;
  for (std::size_t r = 0; r < left.rows; ++r, z += d, by_column += out.columns) {
    kernels().triangle_columns(sum, z, by_column, d);
    for (std::size_t i = 0; i < d; sum += d - i, by_row += d - i, ++i) {
      kernels().scale_add(sum, z[i], by_row, d - i);
    }
  }
}

void SymmetricOuter::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  half_of_products(products, x, y);
  half_of_products(products + out.lanes(), y, x);
}

void SymmetricOuter::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  sum_of_pairs(sum, x, pairs, pairs + out.lanes());
}

void SymmetricOuter::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  sum_of_pairs(sum, y, pairs + out.lanes(), pairs);
}

void MatMul::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  kernels().matmul_add(sum, x, y, left.rows, left.columns, right.columns);
}

void MatMul::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t n = right.columns;
  for (std::size_t i = 0; i < left.rows; ++i) {
    for (std::size_t k = 0; k < left.columns; ++k, products += n) {
      kernels().scale(products, x[i * left.columns + k], y + k * n, n);
    }
  }
}

void MatMul::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  const std::size_t n = right.columns;
  for (std::size_t i = 0; i < left.rows; ++i) {
    for (std::size_t k = 0; k < left.columns; ++k, pairs += n) {
      kernels().scale_add(sum + i * n, x[i * left.columns + k], pairs, n);
    }
  }
}

void MatMul::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  const std::size_t n = right.columns;
  for (std::size_t i = 0; i < left.rows; ++i) {
    for (std::size_t k = 0; k < left.columns; ++k, pairs += n) {
      kernels().multiply_add(sum + i * n, y + k * n, pairs, n);
    }
  }
}

}  // namespace sotto::protocols
