// A table of Apache Arrow as cells of texts, read through Arrow's C stream interface. Any library that has
// __arrow_c_stream__ gives its tables in this way, without a copy and without that library being known here.
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

// Reads the stream of the capsule to its end. If `is_read` is false for a column's name, its cells may be of any type,
// and become empty texts.
//
// Numbers are in their shortest form that is read back as the same number, with a point if they are not whole by their
// type. Dates are 2026-11-23, and times 2026-11-23 12:00:00. A time with a zone is in UTC and ends with +00:00.
//
// Throws TypeError that names a column of another type, and ValueError for a stream that fails or contradicts itself.
[[nodiscard]] FrameCells cells_of_stream(const pybind11::capsule& stream,
                                         const std::function<bool(const std::string&)>& is_read);

}  // namespace sotto::python
