#include "sotto/protocol/arithmetic/batch_maps.h"

#include <algorithm>
#include <stdexcept>

#include "core/ring/kernels.h"

namespace sotto::protocols {
namespace {

[[noreturn]] void refuse(const char* what, Shape x, Shape y) {
  throw std::invalid_argument(std::string(what) + " of shapes " + to_string(x) + " and " + to_string(y));
}

std::size_t square_side(Shape x, Shape y) {
  std::size_t d = 0;
  while (d * d < x.columns) ++d;
  if (!(x == y) || d * d != x.columns) refuse("products of square matrices", x, y);
  return d;
}

}  // namespace

RowOuter::RowOuter(Shape x, Shape y) : BilinearMap(x, y, Shape{x.rows, x.columns * y.columns}) {
  if (x.rows != y.rows) refuse("all products of rows", x, y);
}

void RowOuter::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  for (std::size_t r = 0; r < left.rows; ++r, y += right.columns) {
    for (std::size_t a = 0; a < left.columns; ++a, sum += right.columns) {
      kernels().scale_add(sum, *x++, y, right.columns);
    }
  }
}

void RowOuter::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  for (std::size_t r = 0; r < left.rows; ++r, y += right.columns) {
    for (std::size_t a = 0; a < left.columns; ++a, products += right.columns) {
      kernels().scale(products, *x++, y, right.columns);
    }
  }
}

void RowOuter::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  const std::size_t d = right.columns;
  for (std::size_t block = 0; block < left.lanes(); ++block) {
    kernels().scale(sum + block * d, x[block], pairs + block * d, d);
  }
}

void RowOuter::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  const std::size_t d = right.columns;
  for (std::size_t block = 0; block < left.lanes(); ++block) {
    kernels().multiply(sum + block * d, y + block / left.columns * d, pairs + block * d, d);
  }
}

RowTriangles::RowTriangles(Shape x, Shape y) : BilinearMap(x, y, Shape{x.rows, triangle(x.columns)}) {
  if (!(x == y)) refuse("triangles of products of rows", x, y);
}

void RowTriangles::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t d = right.columns;
  for (std::size_t r = 0; r < left.rows; ++r, x += d, y += d, sum += out.columns) {
    kernels().symmetric_outer_add(sum, x, y, d);
  }
}

void RowTriangles::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t d = right.columns;
  for (std::size_t r = 0; r < left.rows; ++r, x += d, y += d) {
    for (std::size_t i = 0; i < d; products += d - i, ++i) kernels().scale(products, x[i], y + i, d - i);
  }
}

void RowTriangles::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  for (std::size_t entry = 0; entry < left.lanes(); ++entry) {
    const std::size_t count = left.columns - entry % left.columns;
    kernels().scale(sum, x[entry], pairs, count);
    sum += count;
    pairs += count;
  }
}

void RowTriangles::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  for (std::size_t entry = 0; entry < left.lanes(); ++entry) {
    const std::size_t count = left.columns - entry % left.columns;
    kernels().multiply(sum, y + entry, pairs, count);
    sum += count;
    pairs += count;
  }
}

SumOfOuters::SumOfOuters(Shape x, Shape y)
    : BilinearMap(x, y, Shape{y.columns == 0 ? 0 : x.columns / y.columns, triangle(y.columns)}) {
  if (x.rows != y.rows || y.columns == 0 || x.columns % y.columns != 0) refuse("sums of outer products", x, y);
}

void SumOfOuters::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t d = right.columns;
  for (std::size_t e = 0; e < left.rows; ++e, y += d) {
    for (std::size_t a = 0; a < out.rows; ++a, x += d) {
      kernels().symmetric_outer_add(sum + a * out.columns, x, y, d);
    }
  }
}

void SumOfOuters::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t d = right.columns;
  for (std::size_t e = 0; e < left.rows; ++e, y += d) {
    for (std::size_t a = 0; a < out.rows; ++a, x += d) {
      for (std::size_t i = 0; i < d; products += d - i, ++i) kernels().scale(products, x[i], y + i, d - i);
    }
  }
}

void SumOfOuters::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  const std::size_t d = right.columns;
  for (std::size_t e = 0; e < left.rows; ++e) {
    for (std::size_t o = 0; o < out.lanes();) {
      for (std::size_t i = 0; i < d; pairs += d - i, o += d - i, ++i) kernels().scale_add(sum + o, *x++, pairs, d - i);
    }
  }
}

void SumOfOuters::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  const std::size_t d = right.columns;
  for (std::size_t e = 0; e < left.rows; ++e, y += d) {
    for (std::size_t o = 0; o < out.lanes();) {
      for (std::size_t i = 0; i < d; pairs += d - i, o += d - i, ++i) {
        kernels().multiply_add(sum + o, y + i, pairs, d - i);
      }
    }
  }
}

BlockMatMul::BlockMatMul(Shape x, Shape y) : BilinearMap(x, y, x), d_(square_side(x, y)) {}

void BlockMatMul::add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const {
  const std::size_t entries = d_ * d_;
  for (std::size_t r = 0; r < left.rows; ++r) {
    kernels().matmul_add(sum + r * entries, x + r * entries, y + r * entries, d_, d_, d_);
  }
}

void BlockMatMul::pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const {
  for (std::size_t r = 0; r < left.rows; ++r, y += d_ * d_) {
    for (std::size_t entry = 0; entry < d_ * d_; ++entry, products += d_) {
      kernels().scale(products, *x++, y + entry % d_ * d_, d_);
    }
  }
}

void BlockMatMul::left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  for (std::size_t row = 0; row < left.rows * d_; ++row, sum += d_) {
    for (std::size_t k = 0; k < d_; ++k, pairs += d_) kernels().scale_add(sum, *x++, pairs, d_);
  }
}

void BlockMatMul::right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const {
  std::fill_n(sum, out.lanes(), 0);
  for (std::size_t r = 0; r < left.rows; ++r, y += d_ * d_) {
    for (std::size_t i = 0; i < d_; ++i, sum += d_) {
      for (std::size_t k = 0; k < d_; ++k, pairs += d_) kernels().multiply_add(sum, y + k * d_, pairs, d_);
    }
  }
}

}  // namespace sotto::protocols
