// Ids that a spreadsheet has changed on the way: they match no other company's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// What looks wrong with the ids of a table, a line each: how many, and the first place; no id is shown. They end with
// .0, are written with an exponent (1.23E+11), have only zeros behind 15 digits, or are shorter than nearly all others,
// as those are that have lost leading zeros. `ids` are those of the column by row.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column,
                                                   std::span<const std::string_view> ids);
// The same of the ids as the table has them.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column);

}  // namespace sotto::apps::prepare
