// A recipe makes a row of features from a row of a company's table.
//
// A recipe is learned from a table once (fit.h) and stored as a file, recipe.toml. The recipe is applied in the same
// way to this table, to later tables and to single rows (row_maker.h). The recipe is private to the company, because it
// contains means of the company's columns and names of categories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/cell.h"

namespace sotto::apps::prepare {

// In flags, a word is written as WORD for all columns, or as COLUMN=WORD for one column. A column's own words take
// precedence over the words of the table.

struct ColumnWords {
  std::vector<std::string> missing{};
  std::vector<std::string> values{};

  [[nodiscard]] bool empty() const { return missing.empty() && values.empty(); }
};

struct TableWords {
  CellForm form;
  std::map<std::string, ColumnWords> columns;
};

// Throws InputError if a word is both a value and a missing value.
[[nodiscard]] TableWords table_words(const CellForm& asked, const std::vector<std::string>& columns);

[[nodiscard]] CellForm form_of_column(const CellForm& table, const ColumnWords& column);
[[nodiscard]] CellForm form_of_column(const TableWords& words, const std::string& column);

enum class ColumnUse : std::uint8_t {
  number,      // one feature: (value - centre) / spread, clipped; and an indicator if values may be missing
  categories,  // one feature per category: 1 if the cell is of the category, otherwise 0
  id,          // identifies what a row is about: no feature
  label,       // identifies the best arm of a row: no feature
  subject,     // identifies the row's subject if the id does not: no feature
  left_out,
};

// Bounds on the numbers of a recipe. They ensure that all features are finite, whatever a row contains.
inline constexpr double least_spread = 1e-30;
inline constexpr double largest_recipe_number = 1e60;
inline constexpr std::size_t most_row_features = 16384;

struct ColumnRecipe {
  std::string name;
  ColumnUse use = ColumnUse::left_out;
  std::string why{};
  bool percent = false;  // 12% is 12
  double centre = 0;     // at most 1e30 in size
  double spread = 1;     // 1e-30 to 1e60
  double clip = 0;       // the largest distance from the centre, in multiples of `spread`; 0: no limit
  double fill = 0;       // replaces a missing value; at most 1e30 in size
  // whether an additional feature is 1 if the value is missing, and otherwise 0
  bool indicator = false;
  std::vector<std::string> categories{};
  bool other = false;  // whether a further feature is 1 if the cell has no listed category
  ColumnWords words{};
  // The fraction of values that were clipped or had no category, in the table from which the recipe was learned. Not
  // set if unknown.
  std::optional<double> usual_part{};

  [[nodiscard]] bool has_features() const { return use == ColumnUse::number || use == ColumnUse::categories; }
  [[nodiscard]] std::size_t features() const;
};

struct ComponentsRecipe {
  std::size_t count = 0;
  std::vector<double> mean;
  std::vector<double> loadings;  // count x features; entries at most 1 in size
};

struct Recipe {
  CellForm form;
  std::vector<ColumnRecipe> columns;  // one for each column of the table, in the table's order; names are distinct
  ComponentsRecipe components;
  double constant = 0;  // a feature that is the same in each row, at most 1e30; 0: no such feature
  double scale = 1;     // each feature is multiplied by this number, above 0
  double norm = 1;      // longer rows are shortened to `norm`, 1e-30 to 1e30; infinite: no row is shortened
  bool unit = false;    // true: every row is scaled to norm `norm`, and `scale` has no effect
  std::vector<std::string> labels;
  // If several columns make the ids: the names of these columns, in the order in which an id joins their cells.
  std::vector<std::string> ids{};

  [[nodiscard]] std::size_t features() const;
  [[nodiscard]] std::size_t width() const {
    return (components.count > 0 ? components.count : features()) + (constant > 0 ? 1 : 0);
  }
  // The distinct names of the features, such as "age", "age missing", "plan=gold", "plan=other" and "constant".
  // Components are named pc_0, pc_1, ...
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] CellForm form_of(const ColumnRecipe& column) const { return form_of_column(form, column.words); }
  [[nodiscard]] std::size_t column_of(ColumnUse use) const;
};

// The file recipe.toml, which people can read and change:
//
//     section           keys
//     [recipe]          version, constant, scale, norm, unit_norm, decimal_comma, missing, values, labels, ids
//     [[column]]        one for each column of the table, in the table's order: name, use ("number", "categories",
//                       "id", "label", "subject", "left out"), words for missing values and for values (missing,
//                       values), numbers, categories
//     [components]      count, mean, loadings; only if rows are principal components
//
// A recipe of version 2 compares texts in one Unicode form, and treats codes as texts (CellForm). A recipe of version 1
// still makes the same rows. Reading a written recipe gives the same recipe, bit for bit. A recipe has at most 4 MB.
// Errors are InputError with file:line:column, and name the key.

inline constexpr std::size_t longest_recipe = std::size_t{1} << 22;

[[nodiscard]] std::string recipe_text(const Recipe& recipe);
[[nodiscard]] Recipe parse_recipe(const std::string& text, const std::string& file);
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& path);

}  // namespace sotto::apps::prepare
