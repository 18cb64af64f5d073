// Rows of features that somebody else owns, such as a matrix of numpy: read where they lie, in any order of memory.
//
// Errors are InputError; they name the part as Python's callers do, X[1], the row and the column, never a feature or a
// row's norm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sotto::apps::bandit::run {

struct RowsView {
  const std::byte* first = nullptr;  // of doubles of this machine's order, aligned or not
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t row_stride = 0;  // bytes; may be negative or 0
  std::ptrdiff_t column_stride = 0;

  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    double value = 0;
    std::memcpy(
        &value,
        first + static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride,
        sizeof value);
    return value;
  }
};

// Row by row, one after the other.
[[nodiscard]] RowsView view_of(std::span<const double> values, std::size_t columns);

// Refuses parts of different rows, none, or other than 2 to 8 of them; a part without columns; what is not finite; rows
// whose norm over all parts is above max_norm, but for norm_slack (apps/prepare/data/contexts.h).
void check_rows(std::span<const RowsView> parts, double max_norm);

// Rows first .. first + rows - 1 as words of `fraction_bits`, one after the other; row numbers wrap round.
void encode_view(const RowsView& part, std::uint64_t first, unsigned fraction_bits, std::span<std::uint64_t> out);

}  // namespace sotto::apps::bandit::run
