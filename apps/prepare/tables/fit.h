// Learns a recipe from a table: the use of each column, the numbers that this use needs, and the scale of rows.
//
// A column becomes
// - a number, if all cells of the column are numbers or missing, and no cell is a code such as 01067. The feature is
//   (value - mean) / deviation, clipped to at most `clip` in size. A missing value is replaced by the mean (0), and
//   there is an indicator feature if values are missing.
// - categories, if the cells of the column are texts. Each of the most frequent categories has a feature, and the
//   feature "other" is for all other categories.
// - nothing, if the column is constant, has no value, is a date or looks like an id.
// Numbers whose mark may be between thousands are refused or cause a warning. Values that look like words for missing
// values, and words for missing values that look like values, are also refused or cause a warning.
//
// After the columns, the recipe adds principal components and a constant feature if the options ask for them, and
// applies the norm. Either every row gets the norm, or all rows are multiplied by the same scale. The scale makes the
// 95th percentile of the rows' lengths equal to the norm, and longer rows are shortened to the norm.
//
// Everything is deterministic. Errors are InputError. For a cell that does not fit, the error names file:line:cell, the
// kind of the cell and the flag that helps. For an option that does not fit the table, the error names the option's
// flag.
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

// Options and functions to learn a recipe from a table.

inline constexpr double default_clip = 4;
inline constexpr std::size_t default_categories = 16;
inline constexpr std::size_t most_features_of_components = 2048;

struct FitOptions {
  CellForm form{};                // the words in `form` may be COLUMN=WORD (recipe.h)
  std::vector<std::string> id{};  // names of the columns that make a row's id together
  std::optional<std::string> subject{};
  // The column of labels, which is not a feature. The fit warns of a column that predicts the label.
  std::optional<std::string> label{};
  std::vector<std::string> drop{};
  std::vector<std::string> one_hot{};           // columns that are categories, even if cells are numbers
  std::vector<std::string> numbers{};           // columns of numbers, even if they look like ids, codes or thousands
  std::vector<std::string> percent{};           // columns of numbers whose cells may end with %
  bool standardise = true;                      // if false, numbers are unchanged, and constant columns are kept
  bool robust = false;                          // whether to use median and quartiles instead of mean and deviation
  double clip = default_clip;                   // largest distance from the centre in deviations; 0: no clipping
  std::size_t categories = default_categories;  // the largest number of categories of a column, above 0
  std::size_t components = 0;                   // number of principal components; 0: rows keep their features
  // An additional feature that is the same in each row, as a fraction of the rows' usual length (the root of the mean
  // square); 0: none. With the constant, arms need not be equally good on average, and rows of one norm still show how
  // far they are from the mean.
  double constant = 0;
  bool unit = false;  // whether every row gets norm `norm`
  // The norm to which rows are scaled or shortened. If the norm is infinite, rows are neither scaled nor shortened.
  double norm = std::numeric_limits<double>::infinity();
};

// The use of a column in words that show no value, such as "number, standardised; 31 missing".
struct ColumnFinding {
  std::string name;
  std::string done;
};

struct FittedRecipe {
  Recipe recipe;
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::optional<double> kept_variance;  // fraction of the variance that the components keep, 0 to 1
};

// Learns the recipe. `labels` has the arm of each row if the label is known, and is empty otherwise.
[[nodiscard]] FittedRecipe fit_recipe(const TextTable& table, const FitOptions& options,
                                      const std::vector<std::uint32_t>& labels = {});

// The part of a recipe that is learned from one column of a table.

struct FittedColumn {
  ColumnRecipe recipe;
  std::string done;
  std::vector<std::string> warnings;
};

// Fits the column with index `column`. FitOptions may name a column by its name in the table. `words` are the words for
// missing values in the options.
[[nodiscard]] FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options,
                                      const TableWords& words, const std::vector<std::uint32_t>& labels);

}  // namespace sotto::apps::prepare
