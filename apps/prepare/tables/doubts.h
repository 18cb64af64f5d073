// Ids that a spreadsheet has changed, so that they match no ids of other companies.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// The faults of the ids of a table, one line each, with their number and the first place; no id is shown. Faulty ids
// end with .0, have an exponent (1.23E+11), have only zeros after 15 digits, or are shorter than nearly all others, as
// if they had lost leading zeros. `ids` are those of the column by row.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column,
                                                   std::span<const std::string_view> ids);
// The faults of the ids as the table has them.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column);

// Values that may stand for a missing one: -999, 9999.

// A value that occurs at least twice, is the smallest or the largest of a column, and is far from all others. Values
// that are usual as sentinels may be less far away than other values.
struct FarValue {
  double value = 0;
  std::size_t count = 0;
  bool is_least = false;
};

// The far values of a column. Each value is looked for without the values found before, so -999 and 9999 are both
// found.
[[nodiscard]] std::vector<FarValue> far_values(std::span<const double> numbers);

// Whether later rows still look like the table that their recipe was learned from.

// Whether many more values of a column were clipped, or of no category, than when the recipe was made. A column with a
// category for each value drifts with the first value that has none. If the recipe does not say how many values of the
// column had no category, nothing is known, and the column has not drifted.
[[nodiscard]] bool has_drifted(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

// "column 'plan': 12 of 100 values are of no category that the recipe knows; ...". The values are not shown.
[[nodiscard]] std::string drift_text(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

// The drift_text() of each column that has drifted. `notes` may be empty, with no rows.
[[nodiscard]] std::vector<std::string> drift_texts(const Recipe& recipe, const RowNotes& notes);

}  // namespace sotto::apps::prepare
