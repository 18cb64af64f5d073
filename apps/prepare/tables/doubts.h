// Ids that a spreadsheet has changed on the way: they match no other company's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// What looks wrong with the ids of a table, a line each: how many, and the first place; no id is shown. They end with
// .0, are written with an exponent (1.23E+11), have only zeros behind 15 digits, or are shorter than nearly all others,
// as those are that have lost leading zeros. `ids` are those of the column by row.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column,
                                                   std::span<const std::string_view> ids);
// The same of the ids as the table has them.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column);

// Values that may stand for a missing one: -999, 9999.

// A value that comes at least twice, is the least or the largest of a column, and is far from all others. Values that
// sentinels usually have need not be as far as others.
struct FarValue {
  double value = 0;
  std::size_t count = 0;
  bool is_least = false;
};

// Each is found as if those before it were not there: -999 beside 9999.
[[nodiscard]] std::vector<FarValue> far_values(std::span<const double> numbers);

// Whether later rows still look like the table that their recipe was learned from.

// Whether many more of the values of a column were clipped, or of no category, than when the recipe was made. A column
// that had a category for each value drifts with the first one that has none; of one that had others, and whose recipe
// does not say how many, nothing is known.
[[nodiscard]] bool has_drifted(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

// "column 'plan': 12 of 100 values are of no category that the recipe knows; ...", without what they are.
[[nodiscard]] std::string drift_text(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

// That of each column that has drifted. `notes` may be of no rows.
[[nodiscard]] std::vector<std::string> drift_texts(const Recipe& recipe, const RowNotes& notes);

}  // namespace sotto::apps::prepare
