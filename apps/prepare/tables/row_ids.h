// The ids of the rows of a company's table: one column, or several columns together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

using Columns = std::vector<std::size_t>;  // indices of a table's columns, at least one

// The id of each row. An id of several columns has the cells of the row, with '|' between the cells.
[[nodiscard]] std::vector<std::string> row_ids(const TextTable& table, const Columns& columns);

[[nodiscard]] std::vector<std::string_view> views_of(std::span<const std::string> ids);

// Checks that no cell of the ids is missing. Throws InputError that names the line.
void require_ids(const TextTable& table, const Columns& columns, const CellForm& form);

// Checks that every row has an id and that no id comes twice. `ids` are the ids by row, in the form in which ids are
// compared. Throws InputError that names the line without an id, or both lines with the same id. The error never shows
// an id.
void check_ids(const TextTable& table, const Columns& columns, const CellForm& form,
               std::span<const std::string_view> ids);

// Whether no id comes twice.
[[nodiscard]] bool are_distinct(std::span<const std::string_view> ids);

// The order of the rows: by the bytes of their ids if `sort` is set, otherwise as in the table.
[[nodiscard]] std::vector<std::size_t> order_of_ids(std::span<const std::string_view> ids, bool sort);

}  // namespace sotto::apps::prepare
