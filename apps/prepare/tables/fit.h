// Learns a recipe from a table: what becomes of each column, its numbers, and the scale of rows.
//
// A column becomes
// - a number, where all its cells are numbers or missing, and none is a code such as 01067: (value - mean) / deviation,
//   within `clip` of 0; a missing value is the mean (0), and there is an indicator feature where values are missing;
// - categories, where its cells are texts: a feature for each of the most frequent ones, and "other" for the rest;
// - nothing, where it is constant, has no value, is a date or looks like an id.
// Numbers whose mark may be one between thousands are refused or warned of, and so are values that look like words for
// missing ones, and words for missing ones that look like values.
// Then come principal components, if any are asked for, a constant feature likewise, and the norm: every row is brought
// to it, or all are scaled alike, so that the 95th percentile of their lengths is the norm, and longer ones shortened.
//
// Everything is deterministic. Errors are InputError: file:line:cell of a cell that does not fit, its kind and the flag
// that helps, or the flag of an option that does not fit the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/fit_settings.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// What was done with a column, in words without values: "number, standardised; 31 missing".
struct ColumnFinding {
  std::string name;
  std::string done;
};

struct FittedRecipe {
  Recipe recipe;
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::optional<double> kept_variance;  // by the components, 0 to 1
};

// `labels` are the arms by row, where the label is known; else empty.
[[nodiscard]] FittedRecipe fit_recipe(const TextTable& table, const FitOptions& options,
                                      const std::vector<std::uint32_t>& labels = {});

}  // namespace sotto::apps::prepare
