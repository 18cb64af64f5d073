// A recipe makes a row of features from a row of a company's table, in the same way for every later row.
//
// A recipe is learned from a table once (fit.h) and stored as a file, recipe.toml. The recipe is applied in the same
// way to this table, to later tables and to single rows (row_maker.h). The recipe is private to the company, because it
// has means of the company's columns and names of categories.
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

// Words for missing values of a table or of one column, as flags and recipes name them.
//
// A word is written as WORD for all columns, or as COLUMN=WORD for the column COLUMN. A column's own words take
// precedence over the words of the table.

// The words of one column, in addition to the words of the table.
struct ColumnWords {
  std::vector<std::string> missing{};
  std::vector<std::string> values{};

  [[nodiscard]] bool empty() const { return missing.empty() && values.empty(); }
};

struct TableWords {
  CellForm form;                               // the form of cells, with the words for all columns
  std::map<std::string, ColumnWords> columns;  // by column name: the words of each column that has words of its own
};

// Assigns the words of `asked` to all columns, or to the column that a word names. Throws InputError if a word is both
// a value and a missing value.
[[nodiscard]] TableWords table_words(const CellForm& asked, const std::vector<std::string>& columns);

// The form of the cells of a column that has the words `column`.
[[nodiscard]] CellForm form_of_column(const CellForm& table, const ColumnWords& column);
[[nodiscard]] CellForm form_of_column(const TableWords& words, const std::string& column);

// The use of a column of the table.
enum class ColumnUse : std::uint8_t {
  number,      // one feature: (value - centre) / spread, clipped; and an indicator if values may be missing
  categories,  // one feature per category: 1 if the cell is of the category, otherwise 0
  id,          // identifies the case of a row: no feature
  label,       // identifies the best arm of a row: no feature
  subject,     // identifies the row's subject if the id does not: no feature
  left_out,
};

// Bounds on the numbers of a recipe. With these bounds every row, whatever its content, makes features that are finite
// numbers.
inline constexpr double least_spread = 1e-30;
inline constexpr double largest_recipe_number = 1e60;
// The largest number of features of a recipe, and therefore of a row of rows.csv.
inline constexpr std::size_t most_row_features = 16384;

struct ColumnRecipe {
  std::string name;
  ColumnUse use = ColumnUse::left_out;
  std::string why{};  // the reason why the column is left out
  // The fields `percent`, `centre`, `spread`, `clip` and `fill` are for a column of numbers.
  bool percent = false;  // 12% is 12
  double centre = 0;     // at most 1e30 in size
  double spread = 1;     // 1e-30 to 1e60
  double clip = 0;       // the largest distance from the centre, in multiples of `spread`; 0: no limit
  double fill = 0;       // the value that replaces a missing value, at most 1e30 in size
  // For numbers and for categories: whether there is an additional feature, which is 1 if the value is missing and
  // otherwise 0.
  bool indicator = false;
  // For categories: the distinct texts that category_of() makes.
  std::vector<std::string> categories{};
  bool other = false;   // whether there is a further feature: 1 if the cell has no listed category
  ColumnWords words{};  // the words for missing values that only this column has
  // The fraction of values that were clipped or had no category, in the table from which the recipe was learned, if
  // known. Later rows have drifted if many more of their values are clipped or have no category.
  std::optional<double> usual_part{};

  [[nodiscard]] bool has_features() const { return use == ColumnUse::number || use == ColumnUse::categories; }
  [[nodiscard]] std::size_t features() const;
};

// Principal components of the features. The features of a row are replaced by the row's coordinates along `loadings`.
struct ComponentsRecipe {
  std::size_t count = 0;         // number of components; 0: none
  std::vector<double> mean;      // mean of each feature
  std::vector<double> loadings;  // count x features; entries at most 1 in size
};

struct Recipe {
  CellForm form;
  std::vector<ColumnRecipe> columns;  // one for each column of the table, in the table's order; names are distinct
  ComponentsRecipe components;
  double constant = 0;              // an additional feature, the same in each row, 0 to 1e30; 0: none
  double scale = 1;                 // each feature is multiplied by this number, above 0
  double norm = 1;                  // longer rows are shortened to `norm`, 1e-30 to 1e30; infinite: no row is shortened
  bool unit = false;                // whether all rows are brought to `norm` instead of being scaled
  std::vector<std::string> labels;  // the label's texts by arm; empty: labels are the numbers of arms
  // If several columns make the ids: the names of these columns, in the order in which an id has their cells.
  std::vector<std::string> ids{};

  // The number of features that the columns make, before principal components.
  [[nodiscard]] std::size_t features() const;
  // The number of features of a row that the recipe makes.
  [[nodiscard]] std::size_t width() const {
    return (components.count > 0 ? components.count : features()) + (constant > 0 ? 1 : 0);
  }
  // The names of the features of a row, distinct: "age", "age missing", "plan=gold", "plan=other", or pc_0, pc_1, ...,
  // and "constant".
  [[nodiscard]] std::vector<std::string> names() const;
  // The form of the column's cells.
  [[nodiscard]] CellForm form_of(const ColumnRecipe& column) const { return form_of_column(form, column.words); }
  // The index of the column with the given use; columns.size() if no column has this use.
  [[nodiscard]] std::size_t column_of(ColumnUse use) const;
};

// Recipes as files: recipe.toml, which people can read and change.
//
//     [recipe]          version, constant, scale, norm, unit_norm, decimal_comma, missing, values, labels, ids
//     [[column]]        one for each column of the table, in the table's order: name and use ("number", "categories",
//                       "id", "label", "left out"), the column's own words for missing values and for values (missing,
//                       values), and the numbers and categories of the use
//     [components]      count, mean, loadings; only if rows are principal components
//
// Version 2 compares texts in one Unicode form and keeps codes as texts (CellForm). A recipe of version 1 still makes
// the same rows. Reading a written recipe gives the same recipe, bit for bit. A recipe has at most 4 MB. Errors are
// InputError with file:line:column, and name the key.

inline constexpr std::size_t longest_recipe = std::size_t{1} << 22;

// The text of a recipe's file. Throws InputError if the text would be longer than 4 MB.
[[nodiscard]] std::string recipe_text(const Recipe& recipe);
// `file` is the name of the file in messages. RowMaker checks whether the parts of the recipe fit together.
[[nodiscard]] Recipe parse_recipe(const std::string& text, const std::string& file);
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& path);

}  // namespace sotto::apps::prepare
