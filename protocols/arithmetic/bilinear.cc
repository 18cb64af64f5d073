#include "protocols/arithmetic/bilinear.h"

#include "core/ring/kernels.h"

namespace sotto::protocols {

void detail::require_rows_fit(Shape x, Shape y, const char* what) {
  if (y.columns == x.columns && (y.rows == x.rows || y.rows == 1)) return;
  throw std::invalid_argument(std::string(what) + " of shapes " + to_string(x) + " and " +
                              to_string(y));
}

void Elementwise::add_product(std::uint64_t* sum, const std::uint64_t* x,
                              const std::uint64_t* y) const {
  const Kernels& k = kernels();
  if (right.rows == left.rows) return k.multiply_add(sum, x, y, left.lanes());
  for (std::size_t r = 0; r < left.rows; ++r) {
    k.multiply_add(sum + r * left.columns, x + r * left.columns, y, left.columns);
  }
}

void RowDot::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const Kernels& k = kernels();
  const std::size_t step = right.rows == 1 ? 0 : right.columns;
  for (std::size_t r = 0; r < left.rows; ++r) {
    sum[r] += k.dot(x + r * left.columns, y + r * step, left.columns);
  }
}

void RowScale::add_product(std::uint64_t* sum, const std::uint64_t* x,
                           const std::uint64_t* y) const {
  const Kernels& k = kernels();
  const std::size_t x_step = left.rows == 1 ? 0 : 1;
  const std::size_t y_step = right.rows == 1 ? 0 : right.columns;
  for (std::size_t r = 0; r < out.rows; ++r) {
    k.scale_add(sum + r * out.columns, x[r * x_step], y + r * y_step, out.columns);
  }
}

// Row i of a triangle serves entry i of the result as a row and the entries after it as a column.
void SymmetricMatVec::add_product(std::uint64_t* sum, const std::uint64_t* x,
                                  const std::uint64_t* y) const {
  const Kernels& k = kernels();
  const std::size_t d = right.columns;
  const std::size_t step = right.rows == 1 ? 0 : d;
  for (std::size_t r = 0; r < left.rows; ++r, sum += d, y += step) {
    for (std::size_t i = 0; i < d; x += d - i, ++i) {
      sum[i] += k.dot(x, y + i, d - i);
      k.scale_add(sum + i + 1, y[i], x + 1, d - i - 1);
    }
  }
}

void SymmetricOuter::add_product(std::uint64_t* sum, const std::uint64_t* x,
                                 const std::uint64_t* y) const {
  const Kernels& k = kernels();
  const std::size_t d = left.columns;
  for (std::size_t r = 0; r < left.rows; ++r) {
    for (std::size_t i = 0; i < d; sum += d - i, ++i) {
      k.scale_add(sum, x[r * d + i], y + r * d + i, d - i);
    }
  }
}

void MatMul::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  kernels().matmul_add(sum, x, y, left.rows, left.columns, right.columns);
}

}  // namespace sotto::protocols
