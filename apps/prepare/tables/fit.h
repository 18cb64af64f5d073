// Learns a recipe from a table: the use of each column, its numbers, and the scale of rows.
//
// A column becomes
// - a number, if all its cells are numbers or missing, and none is a code such as 01067: (value - mean) / deviation,
//   within `clip` of 0. A missing value is the mean (0), and there is an indicator feature if values are missing.
// - categories, if its cells are texts: a feature for each of the most frequent categories, and "other" for the rest.
// - nothing, if it is constant, has no value, is a date or looks like an id.
// Numbers whose mark may be between thousands are refused or cause a warning. The same holds for values that look like
// words for missing values, and for words for missing values that look like values.
//
// After the columns, the recipe adds principal components and a constant feature if they are asked for, and applies the
// norm. Either every row gets the norm, or all rows are scaled alike. In that case the 95th percentile of their lengths
// becomes the norm, and longer rows are shortened.
//
// Everything is deterministic. Errors are InputError. For a cell that does not fit they name file:line:cell, its kind
// and the flag that helps. For an option that does not fit the table they name its flag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// How a recipe is learned from a table.

inline constexpr double default_clip = 4;
inline constexpr std::size_t default_categories = 16;
inline constexpr std::size_t most_features_of_components = 2048;

struct FitOptions {
  CellForm form{};                  // its words may be COLUMN=WORD (recipe.h)
  std::optional<std::string> id{};  // name of the column of ids
  std::optional<std::string> subject{};
  // The column of labels, which is not a feature. The fit warns of a column that predicts the label.
  std::optional<std::string> label{};
  std::vector<std::string> drop{};
  std::vector<std::string> one_hot{};           // columns that are categories, even if cells are numbers
  std::vector<std::string> numbers{};           // columns of numbers, even if they look like ids, codes or thousands
  std::vector<std::string> percent{};           // columns of numbers that may end with %
  bool standardise = true;                      // if false, numbers are unchanged, and constant columns are kept
  bool robust = false;                          // whether to use median and quartiles instead of mean and deviation
  double clip = default_clip;                   // limit in deviations; 0: no clipping
  std::size_t categories = default_categories;  // the most categories of a column, above 0
  std::size_t components = 0;                   // number of principal components; 0: the features themselves
  // An additional feature that is the same in each row, as a fraction of the rows' usual length (the root of the mean
  // square); 0: none. With the constant, arms need not be equally good on average, and rows of one norm still show how
  // far they are from the mean.
  double constant = 0;
  bool unit = false;  // whether every row gets norm `norm`
  // The norm of rows. If infinite, rows are neither scaled nor shortened.
  double norm = std::numeric_limits<double>::infinity();
};

// The use of a column, in words without values: "number, standardised; 31 missing".
struct ColumnFinding {
  std::string name;
  std::string done;
};

struct FittedRecipe {
  Recipe recipe;
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::optional<double> kept_variance;  // fraction that the components keep, 0 to 1
};

// Learns the recipe. `labels` are the arms by row if the label is known; otherwise empty.
[[nodiscard]] FittedRecipe fit_recipe(const TextTable& table, const FitOptions& options,
                                      const std::vector<std::uint32_t>& labels = {});

// One column of a table, while a recipe is learned.

struct FittedColumn {
  ColumnRecipe recipe;
  std::string done;
  std::vector<std::string> warnings;
};

// Fits the column with index `column`. FitOptions may name a column by its name in the table. `words` are the words of
// the options.
[[nodiscard]] FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options,
                                      const TableWords& words, const std::vector<std::uint32_t>& labels);

}  // namespace sotto::apps::prepare
