// Reads a table of any library with __arrow_c_stream__, and turns each cell into a text.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <vector>

namespace sotto::python {

// `columns[c][r]` is the cell of row r in the column `names[c]`. A missing value is an empty text.
struct FrameCells {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;
};

// If `is_read` is false for a column's name, the cells of the column become empty texts.
//
// Numbers are in the shortest form that is read back as the same number, and numbers of a floating-point type have a
// decimal point. Dates are 2026-11-23, and times 2026-11-23 12:00:00. A time with a zone is in UTC and ends with
// +00:00.
//
// Throws a TypeError that names a column of another type, and ValueError for a stream that fails or contradicts itself.
[[nodiscard]] FrameCells cells_of_stream(const pybind11::capsule& stream,
                                         const std::function<bool(const std::string&)>& is_read);

}  // namespace sotto::python
