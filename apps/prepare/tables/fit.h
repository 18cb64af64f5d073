// Learns a recipe from a table: the use of each column, the numbers that the use needs, such as the mean, and the scale
// of rows.
//
// A column becomes
// - a number, if all cells of the column are numbers or missing, and no cell is a code such as 01067. The feature is
//   (value - mean) / deviation, clipped to at most `clip` in size. If the value is missing, the feature is 0, as for
//   the mean. If any value of the column is missing, an additional feature indicates the missing values.
// - categories, if the cells of the column are texts. Each of the most frequent categories has a feature, and the
//   feature "other" is for all other categories.
// - no feature, if the column is constant, has no value, is a date or looks like an id.
// Without `unit`, all rows are multiplied by one scale. The scale makes the 95th percentile of the rows' lengths equal
// to the norm, and longer rows are shortened to the norm.
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

inline constexpr double default_clip = 4;
inline constexpr std::size_t default_categories = 16;
inline constexpr std::size_t most_features_of_components = 2048;

struct FitOptions {
  CellForm form{};                // the words in `form` may be COLUMN=WORD (recipe.h)
  std::vector<std::string> id{};  // the columns that make a row's id together
  std::optional<std::string> subject{};
  std::optional<std::string> label{};
  std::vector<std::string> drop{};
  std::vector<std::string> one_hot{};           // columns that are categories, even if cells are numbers
  std::vector<std::string> numbers{};           // columns of numbers, even if they look like ids, codes or thousands
  std::vector<std::string> percent{};           // columns of numbers whose cells may end with %
  bool standardise = true;                      // if false, numbers are unchanged, and constant columns are kept
  bool robust = false;                          // whether to use median and quartiles instead of mean and deviation
  double clip = default_clip;                   // largest distance from the centre in deviations; 0: no clipping
  std::size_t categories = default_categories;  // the largest number of categories of a column, above 0
  std::size_t components = 0;
  // An additional feature that is the same in each row, as a fraction of the root mean square of the rows; 0: no such
  // feature. With the constant, a linear model can learn that one arm is better on average. If all rows are scaled to
  // the same norm, the scaled constant is smaller in rows that are far from the mean, so it preserves this distance.
  double constant = 0;
  bool unit = false;
  // If the norm is infinite, rows are neither scaled nor shortened.
  double norm = std::numeric_limits<double>::infinity();
};

struct ColumnFinding {
  std::string name;
  std::string done;
};

struct FittedRecipe {
  Recipe recipe;
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::optional<double> kept_variance;  // fraction of the variance that the components keep
};

[[nodiscard]] FittedRecipe fit_recipe(const TextTable& table, const FitOptions& options,
                                      const std::vector<std::uint32_t>& labels = {});

struct FittedColumn {
  ColumnRecipe recipe;
  std::string done;
  std::vector<std::string> warnings;
};

[[nodiscard]] FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options,
                                      const TableWords& words, const std::vector<std::uint32_t>& labels);

}  // namespace sotto::apps::prepare
