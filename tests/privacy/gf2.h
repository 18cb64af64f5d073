// Linear relations over GF(2), by Gaussian elimination on packed bits.
#pragma once

#include "tests/framework.h"

namespace sotto::privacy {

// Rows of bits, all zero at first; 64 to a word.
class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t columns)
      : columns_(columns), words_((columns + 63) / 64), bits_(rows * words_, 0) {}

  [[nodiscard]] std::size_t rows() const { return words_ == 0 ? 0 : bits_.size() / words_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::span<std::uint64_t> row(std::size_t i) { return std::span(bits_).subspan(i * words_, words_); }
  [[nodiscard]] std::span<const std::uint64_t> row(std::size_t i) const {
    return std::span(bits_).subspan(i * words_, words_);
  }
  // The bit was zero before.
  void put(std::size_t i, std::size_t column, std::uint64_t bit) { row(i)[column / 64] |= (bit & 1) << (column % 64); }
  [[nodiscard]] bool at(std::size_t i, std::size_t column) const {
    return (row(i)[column / 64] >> (column % 64) & 1) != 0;
  }

 private:
  std::size_t columns_;
  std::size_t words_;  // a row
  std::vector<std::uint64_t> bits_;
};

// Rows that add up to zero, in ascending order, at least one; nothing if the rows are linearly independent. R rows of
// uniform bits in R + 63 columns are dependent with a probability below 2^-63.
[[nodiscard]] std::optional<std::vector<std::size_t>> relation(const BitRows& rows);

}  // namespace sotto::privacy
