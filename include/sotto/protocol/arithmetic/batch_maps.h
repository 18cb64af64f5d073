// Bilinear maps (bilinear.h) for many events at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/sharing/bilinear_map.h"

namespace sotto::protocols {

// All products of an entry of row r of x and an entry of row r of y: out[r][a d + i] = x[r][a] y[r][i], with d columns
// in y.
class RowOuter final : public BilinearMap {
 public:
  // Throws std::invalid_argument unless x and y have equally many rows.
  RowOuter(Shape x, Shape y);
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return out.lanes(); }
  template <class F>
  void for_each(F f) const {
    std::size_t o = 0;
    for (std::size_t r = 0; r < left.rows; ++r) {
      for (std::size_t a = 0; a < left.columns; ++a) {
        for (std::size_t i = 0; i < right.columns; ++i) f(o++, r * left.columns + a, r * right.columns + i);
      }
    }
  }
};

// out[r] = the upper triangle of x_r y_r'. The caller ensures that x_r y_r' is symmetric.
class RowTriangles final : public BilinearMap {
 public:
  // Throws std::invalid_argument unless x and y have the same shape.
  RowTriangles(Shape x, Shape y);
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return out.lanes(); }
  template <class F>
  void for_each(F f) const {
    const std::size_t d = right.columns;
    std::size_t o = 0;
    for (std::size_t r = 0; r < left.rows; ++r) {
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = i; j < d; ++j) f(o++, r * d + i, r * d + j);
      }
    }
  }
};

// Sums of outer products over all rows. Let d be the number of columns of y. Each row of x consists of blocks of d
// entries. x_ea is block a of row e of x, and y_e is row e of y. out[a] = the upper triangle of the sum of x_ea y_e'
// over all rows e. The caller ensures that the sum is symmetric.
class SumOfOuters final : public BilinearMap {
 public:
  // Throws std::invalid_argument unless x and y have equally many rows, and the number of columns of x is a multiple of
  // the number of columns of y.
  SumOfOuters(Shape x, Shape y);
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return left.rows * out.lanes(); }
  template <class F>
  void for_each(F f) const {
    const std::size_t d = right.columns;
    for (std::size_t e = 0; e < left.rows; ++e) {
      std::size_t o = 0;
      for (std::size_t a = 0; a < out.rows; ++a) {
        for (std::size_t i = 0; i < d; ++i) {
          for (std::size_t j = i; j < d; ++j) f(o++, e * left.columns + a * d + i, e * d + j);
        }
      }
    }
  }
};

// out[r] = the matrix product x_r y_r. Each row of x and of y is a d x d matrix.
class BlockMatMul final : public BilinearMap {
 public:
  // Throws std::invalid_argument unless x and y have the same shape, and their rows are square matrices.
  BlockMatMul(Shape x, Shape y);
  void add_product(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* y) const override;
  void pair_products(std::uint64_t* products, const std::uint64_t* x, const std::uint64_t* y) const override;
  void left_pairs(std::uint64_t* sum, const std::uint64_t* x, const std::uint64_t* pairs) const override;
  void right_pairs(std::uint64_t* sum, const std::uint64_t* y, const std::uint64_t* pairs) const override;
  [[nodiscard]] std::size_t pairs() const override { return left.lanes() * d_; }
  template <class F>
  void for_each(F f) const {
    const std::size_t d = d_;
    for (std::size_t r = 0; r < left.rows; ++r) {
      const std::size_t first = r * d * d;
      for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t k = 0; k < d; ++k) {
          for (std::size_t j = 0; j < d; ++j) f(first + i * d + j, first + i * d + k, first + k * d + j);
        }
      }
    }
  }

 private:
  std::size_t d_;
};

}  // namespace sotto::protocols
