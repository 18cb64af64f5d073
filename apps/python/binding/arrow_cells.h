// The cells of one array of Arrow as texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/python/binding/arrow_abi.h"

namespace sotto::python {

// Calls `add` with the text of each of the `rows` cells from `first` on, relative to the array's own offset. `column`
// is for messages, as is `row`, the number of the first cell among all rows: "column 'age'".
//
// Throws TypeError if cells of that type are no numbers, texts, dates or truth values, and ValueError if the array
// contradicts its type. An array without rows may be of any type.
void add_cells(const ArrowSchema& type, const ArrowArray& array, std::int64_t first, std::int64_t rows,
               const std::string& column, std::size_t row, const std::function<void(std::string)>& add);

// Makes dates of times of a whole column if all are at midnight, as pandas writes them.
void shorten_midnights(std::vector<std::string>& cells);

}  // namespace sotto::python
