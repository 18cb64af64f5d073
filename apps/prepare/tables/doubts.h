#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// Finds ids that a spreadsheet has damaged. For each kind of damage, returns one line of text with the number of
// damaged ids and the place of the first one. No line shows an id. Damaged ids end with .0, have an exponent
// (1.23E+11), have only zeros after 15 digits, or are shorter than nearly all other ids, as if they had lost leading
// zeros.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column,
                                                   std::span<const std::string_view> ids);
// The damage in each of the columns that make the ids, as the ids are written.
[[nodiscard]] std::vector<std::string> damaged_ids(const TextTable& table, const Columns& id_columns);

// A value such as -999 that may be a sentinel for a missing value. It occurs at least twice, is the smallest or the
// largest of a column, and is far from all other values.
struct FarValue {
  double value = 0;
  std::size_t count = 0;
  bool is_least = false;
};

// Values that were found are left out of the search for further values, so -999 and 9999 are both found.
[[nodiscard]] std::vector<FarValue> far_values(std::span<const double> numbers);

// Whether many more values of a column are clipped, or have no category, than in the table from which the recipe was
// made. If every value of that table had a category, a single value without a category counts as drift. Returns false
// if the recipe does not say how many values had no category.
[[nodiscard]] bool has_drifted(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

// For example "column 'plan': 12 of 100 values are of no category that the recipe knows; ...". The text shows no value.
[[nodiscard]] std::string drift_text(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

[[nodiscard]] std::vector<std::string> drift_texts(const Recipe& recipe, const RowNotes& notes);

}  // namespace sotto::apps::prepare
