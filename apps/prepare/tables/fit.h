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
// Then come principal components and a constant feature, if they are asked for, and the norm. Either every row is
// brought to the norm, or all rows are scaled alike: the 95th percentile of their lengths becomes the norm, and longer
// rows are shortened.
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
  std::optional<std::string> id{};  // columns, by name
  std::optional<std::string> subject{};
  std::optional<std::string> label{};  // not a feature; its text decides whether a column predicts it
  std::vector<std::string> drop{};
  std::vector<std::string> one_hot{};           // categories, even if cells are numbers
  std::vector<std::string> numbers{};           // numbers, even if they look like ids or codes, or have three decimals
  std::vector<std::string> percent{};           // numbers that may end with %
  bool standardise = true;                      // otherwise numbers are unchanged, and constant ones are kept
  bool robust = false;                          // median and quartiles instead of mean and deviation
  double clip = default_clip;                   // in deviations; 0: none
  std::size_t categories = default_categories;  // of a column, at most, above 0
  std::size_t components = 0;                   // principal components; 0: the features themselves
  // An additional feature that is the same in each row, as a fraction of the rows' usual length (the root of the mean
  // square); 0: none. With it, arms need not be equally good on average. Rows of one norm also still show how far they
  // are from the mean.
  double constant = 0;
  bool unit = false;  // every row gets norm `norm`
  // Infinite: rows are neither scaled nor shortened.
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

// `labels` are the arms by row if the label is known; otherwise empty.
[[nodiscard]] FittedRecipe fit_recipe(const TextTable& table, const FitOptions& options,
                                      const std::vector<std::uint32_t>& labels = {});

// One column of a table, while a recipe is learned.

struct FittedColumn {
  ColumnRecipe recipe;
  std::string done;
  std::vector<std::string> warnings;
};

// Fits the column of that number; FitOptions may name it by its name in the table. `words` are those of the options.
[[nodiscard]] FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options,
                                      const TableWords& words, const std::vector<std::uint32_t>& labels);

}  // namespace sotto::apps::prepare
