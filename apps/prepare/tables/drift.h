// Whether later rows still look like the table that their recipe was learned from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/prepare/tables/row_maker.h"

namespace sotto::apps::prepare {

// Whether many more of the values of a column were clipped, or of no category, than when the recipe was made. A column
// that had a category for each value drifts with the first one that has none; of one that had others, and whose recipe
// does not say how many, nothing is known.
[[nodiscard]] bool has_drifted(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

// "column 'plan': 12 of 100 values are of no category that the recipe knows; ...", without what they are.
[[nodiscard]] std::string drift_text(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows);

// That of each column that has drifted. `notes` may be of no rows.
[[nodiscard]] std::vector<std::string> drift_texts(const Recipe& recipe, const RowNotes& notes);

}  // namespace sotto::apps::prepare
