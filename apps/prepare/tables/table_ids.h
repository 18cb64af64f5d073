// The column of a company's table that says which case a row is about.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// That every row has an id and none comes twice. `ids` are those of the column by row, as they are compared. Throws
// InputError that names the line, or both lines, and never shows an id.
void check_ids(const TextTable& table, std::size_t id_column, const CellForm& form,
               std::span<const std::string_view> ids);

// The order of the rows: by the bytes of their ids where `sort` says so, else the table's. Throws as check_ids().
[[nodiscard]] std::vector<std::size_t> order_of_rows(const TextTable& table, std::size_t id_column,
                                                     const CellForm& form, bool sort);

}  // namespace sotto::apps::prepare
