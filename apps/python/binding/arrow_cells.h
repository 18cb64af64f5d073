// The cells of an array of Arrow as texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/python/binding/arrow_abi.h"

namespace sotto::python {

// Calls `add` with the text of each of the `rows` cells from `first` on. Error messages name the column as `column`,
// and the row of the cell. `row` is the row number of the first cell in the whole table. Throws TypeError for a type
// other than numbers, texts, dates and truth values, and ValueError if the array contradicts its type.
void add_cells(const ArrowSchema& type, const ArrowArray& array, std::int64_t first, std::int64_t rows,
               const std::string& column, std::size_t row, const std::function<void(std::string)>& add);

// Like pandas, the function turns times into dates if all times of the column are at midnight.
void shorten_midnights(std::vector<std::string>& cells);

}  // namespace sotto::python
