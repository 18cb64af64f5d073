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

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

// How a recipe is learned of a table.

inline constexpr double default_clip = 4;
inline constexpr std::size_t default_categories = 16;
inline constexpr std::size_t most_features_of_components = 2048;

struct FitOptions {
  CellForm form{};                  // its words may be COLUMN=WORD (recipe.h)
  std::optional<std::string> id{};  // columns, by name
  std::optional<std::string> subject{};
  std::optional<std::string> label{};  // no feature; its text decides whether a column tells it
  std::vector<std::string> drop{};
  std::vector<std::string> one_hot{};           // categories, also where cells are numbers
  std::vector<std::string> numbers{};           // also where they look like ids or codes, or have three decimals
  std::vector<std::string> percent{};           // numbers that may end with %
  bool standardise = true;                      // else numbers stay as they are, and constant ones are kept
  bool robust = false;                          // median and quartiles, for mean and deviation
  double clip = default_clip;                   // in deviations; 0: none
  std::size_t categories = default_categories;  // of a column, at most, above 0
  std::size_t components = 0;                   // principal components; 0: the features themselves
  // A further feature that is the same in each row, in parts of the rows' usual length (the root of the mean square);
  // 0: none. With it arms need not be equally good on the average, and rows of one norm still tell how far they are
  // from the mean.
  double constant = 0;
  bool unit = false;  // every row gets norm `norm`
  // Infinite: rows are neither scaled nor shortened.
  double norm = std::numeric_limits<double>::infinity();
};

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

// One column of a table on its way into a recipe.

struct FittedColumn {
  ColumnRecipe recipe;
  std::string done;
  std::vector<std::string> warnings;
};

// The column of that number, with the name that FitOptions may ask for it by. `words` are those of the options.
[[nodiscard]] FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options,
                                      const TableWords& words, const std::vector<std::uint32_t>& labels);

}  // namespace sotto::apps::prepare
