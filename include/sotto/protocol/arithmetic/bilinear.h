// Bilinear maps. Each map is defined by for_each(f), which calls f(o, i, j) once for every product x[i] y[j] that the
// map adds to output lane o. The order of the calls is the same at all roles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "sotto/protocol/sharing/bilinear_map.h"

namespace sotto::protocols {

namespace detail {
// Throws std::invalid_argument unless y has as many columns as x, and has either one row or as many rows as x.
void require_rows_fit(Shape x, Shape y, const char* what);
}  // namespace detail

// The entries in the upper triangle of a symmetric d x d matrix, stored row by row.
[[nodiscard]] constexpr std::size_t triangle(std::size_t d) { return d * (d + 1) / 2; }

// out[r][c] = x[r][c] y[r][c], where a single row of y multiplies every row of x.
class Elementwise final : public BilinearMap {
 public:
  Elementwise(Shape x, Shape y) : BilinearMap(x, y, x) { detail::require_rows_fit(x, y, "element-wise product"); }
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return left.lanes(); }
  [[nodiscard]] Words local_product(const MaskedOperand& x, const MaskedOperand& y, bool adds_constants) const override;
  [[nodiscard]] bool same_rows() const { return left.rows == right.rows; }
  template <class F>
  void for_each(F f) const {
    const std::size_t step = right.rows == 1 ? 0 : right.columns;
    for (std::size_t r = 0; r < left.rows; ++r) {
      for (std::size_t c = 0; c < left.columns; ++c) f(r * left.columns + c, r * left.columns + c, r * step + c);
    }
  }
};

// out[r] = sum over c of x[r][c] y[r][c], where a single row of y multiplies every row of x.
class RowDot final : public BilinearMap {
 public:
  RowDot(Shape x, Shape y) : BilinearMap(x, y, Shape{x.rows, 1}) {
    detail::require_rows_fit(x, y, "dot products of rows");
  }
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return left.lanes(); }
  template <class F>
  void for_each(F f) const {
    const std::size_t step = right.rows == 1 ? 0 : right.columns;
    for (std::size_t r = 0; r < left.rows; ++r) {
      for (std::size_t c = 0; c < left.columns; ++c) f(r, r * left.columns + c, r * step + c);
    }
  }
};

// out[r][c] = x[r] y[r][c] for a column x, where a single entry of x or row of y is used for all rows.
class RowScale final : public BilinearMap {
 public:
  RowScale(Shape x, Shape y) : BilinearMap(x, y, Shape{x.rows > y.rows ? x.rows : y.rows, y.columns}) {
    if (x.columns != 1 || (x.rows != y.rows && x.rows != 1 && y.rows != 1)) {
      throw std::invalid_argument("rows of shape " + to_string(y) + " scaled by shape " + to_string(x));
    }
  }
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  // True if the map is an element-wise product.
  [[nodiscard]] bool single_columns() const { return out.columns == 1 && left == right; }
  [[nodiscard]] std::size_t pairs() const override { return out.lanes(); }
  template <class F>
  void for_each(F f) const {
    const std::size_t x_step = left.rows == 1 ? 0 : 1;
    const std::size_t y_step = right.rows == 1 ? 0 : right.columns;
    for (std::size_t r = 0; r < out.rows; ++r) {
      for (std::size_t c = 0; c < out.columns; ++c) f(r * out.columns + c, r * x_step, r * y_step + c);
    }
  }
};

// out[r] = W_r y_r for symmetric d x d matrices W_r. Row r of the left operand is the upper triangle of W_r, in
// triangle(d) entries. If y has a single row, every matrix multiplies this row.
class SymmetricMatVec final : public BilinearMap {
 public:
  SymmetricMatVec(Shape matrices, Shape y) : BilinearMap(matrices, y, Shape{matrices.rows, y.columns}) {
    if (matrices.columns != triangle(y.columns) || (y.rows != matrices.rows && y.rows != 1)) {
      throw std::invalid_argument("symmetric matrices of shape " + to_string(matrices) + " times " + to_string(y));
    }
  }
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return left.rows * right.columns * right.columns; }
  template <class F>
  void for_each(F f) const {
    const std::size_t d = right.columns;
    const std::size_t step = right.rows == 1 ? 0 : d;
    for (std::size_t r = 0; r < left.rows; ++r) {
      std::size_t entry = r * left.columns;
      for (std::size_t i = 0; i < d; ++i) {
        const std::size_t row = entry;
        for (std::size_t j = i; j < d; ++j) f(r * d + i, entry++, r * step + j);
        for (std::size_t j = i + 1; j < d; ++j) f(r * d + j, row + j - i, r * step + i);
      }
    }
  }
};

// out[r] = the upper triangle of x_r y_r' + y_r x_r'. If x_r and y_r are nearly parallel, the result is nearly twice
// the outer product of x_r and y_r. If the upper triangle of x_r y_r' were also used as the lower triangle, the error
// at (i, j) would be |x_i y_j - x_j y_i|.
class SymmetricOuter final : public BilinearMap {
 public:
  SymmetricOuter(Shape x, Shape y) : BilinearMap(x, y, Shape{x.rows, triangle(x.columns)}) {
    if (!(x == y)) {
      throw std::invalid_argument("outer products of shapes " + to_string(x) + " and " + to_string(y));
    }
  }
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] Words local_product(const MaskedOperand& x, const MaskedOperand& y, bool adds_constants) const override;
  void sum_of_products(std::uint64_t* sum, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* p,
                       const std::uint64_t* q) const;
  [[nodiscard]] std::size_t pairs() const override { return 2 * out.lanes(); }
  template <class F>
  void for_each(F f) const {
    for_each_entry([&](std::size_t o, std::size_t i, std::size_t j) { f(o, i, j); });
    for_each_entry([&](std::size_t o, std::size_t i, std::size_t j) { f(o, j, i); });
  }

 private:
  template <class F>
  void for_each_entry(F f) const {
    const std::size_t d = left.columns;
    std::size_t o = 0;
    for (std::size_t r = 0; r < left.rows; ++r) {
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = i; j < d; ++j) f(o++, r * d + i, r * d + j);
      }
    }
  }
  void half_of_products(std::uint64_t* products, const std::uint64_t* rows, const std::uint64_t* columns) const;
  void sum_of_pairs(std::uint64_t* sum, const std::uint64_t* z, const std::uint64_t* by_row,
                    const std::uint64_t* by_column) const;
};

// out = x y, the product of an m x k matrix and a k x n matrix.
class MatMul final : public BilinearMap {
 public:
  MatMul(Shape x, Shape y) : BilinearMap(x, y, Shape{x.rows, y.columns}) {
    if (x.columns != y.rows) {
      throw std::invalid_argument("matrix product of shapes " + to_string(x) + " and " + to_string(y));
    }
  }
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return left.lanes() * right.columns; }
  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < left.rows; ++i) {
      for (std::size_t k = 0; k < left.columns; ++k) {
        for (std::size_t j = 0; j < right.columns; ++j) {
          f(i * right.columns + j, i * left.columns + k, k * right.columns + j);
        }
      }
    }
  }
};

}  // namespace sotto::protocols
