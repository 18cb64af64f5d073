// A recipe makes a row of features from a row of a company's table, in the same way for every later row.
//
// A recipe is learned from a table once (fit.h) and kept as a file (below). It is applied to that table, to later
// tables and to single rows alike (row_maker.h). It belongs to the company: it has means of the company's columns and
// names of categories.
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
// A word is WORD, for all columns, or COLUMN=WORD if a column has that name. A column's own words take precedence over
// those of the table.

// The words of one column, in addition to those of the table.
struct ColumnWords {
  std::vector<std::string> missing{};
  std::vector<std::string> values{};

  [[nodiscard]] bool empty() const { return missing.empty() && values.empty(); }
};

struct TableWords {
  CellForm form;                               // the form of cells, with the words that hold for all columns
  std::map<std::string, ColumnWords> columns;  // the words of each column that has words of its own, by name
};

// Sorts the words of `asked` by the columns that they may name. Throws InputError if a word is both a value and a
// missing value.
[[nodiscard]] TableWords table_words(const CellForm& asked, const std::vector<std::string>& columns);

// How the cells of a column with the words `column` are meant.
[[nodiscard]] CellForm form_of_column(const CellForm& table, const ColumnWords& column);
[[nodiscard]] CellForm form_of_column(const TableWords& words, const std::string& column);

// The use of a column of the table.
enum class ColumnUse : std::uint8_t {
  number,      // one feature: (value - centre) / spread, clipped; and an indicator if values may be missing
  categories,  // one feature per category: 1 if the cell is of it, otherwise 0
  id,          // names the case: no feature
  label,       // names the best arm: no feature
  subject,     // names the row's subject if that is not the id: no feature
  left_out,
};

// Bounds on the numbers of a recipe, so that no row, whatever its content, makes a feature that is not a number.
inline constexpr double least_spread = 1e-30;
inline constexpr double largest_recipe_number = 1e60;
// The most features of a recipe, and so of a row of rows.csv.
inline constexpr std::size_t most_row_features = 16384;

struct ColumnRecipe {
  std::string name;
  ColumnUse use = ColumnUse::left_out;
  std::string why{};  // the reason why the column is left out
  // The next five fields are for a number.
  bool percent = false;  // 12% is 12
  double centre = 0;     // at most 1e30 in size, as is `fill`
  double spread = 1;     // 1e-30 to 1e60
  double clip = 0;       // the largest distance from the centre in spreads; 0: no limit
  double fill = 0;       // the value that replaces a missing one
  // For a number and for categories: an additional feature, 1 if the value is missing, otherwise 0.
  bool indicator = false;
  // For categories: distinct texts as category_of() makes them.
  std::vector<std::string> categories{};
  bool other = false;   // whether there is a further feature, 1 if the cell is of no listed category
  ColumnWords words{};  // words for missing values, only of this column
  // The fraction of values that were clipped, or of no category, in the table that the recipe was learned from, if
  // known. Later rows have drifted if they have many more such values.
  std::optional<double> usual_part{};

  [[nodiscard]] bool has_features() const { return use == ColumnUse::number || use == ColumnUse::categories; }
  [[nodiscard]] std::size_t features() const;
};

// Principal components of the features: a row becomes its coordinates along `loadings`.
struct ComponentsRecipe {
  std::size_t count = 0;         // number of components; 0: none
  std::vector<double> mean;      // mean of each feature
  std::vector<double> loadings;  // count x features; entries at most 1 in size
};

struct Recipe {
  CellForm form;
  std::vector<ColumnRecipe> columns;  // one for each column of the table, in its order; names are distinct
  ComponentsRecipe components;
  double constant = 0;              // an additional feature, the same in each row, 0 to 1e30; 0: none
  double scale = 1;                 // each feature is multiplied by this number, above 0
  double norm = 1;                  // longer rows are shortened to it, 1e-30 to 1e30; infinite: no row is shortened
  bool unit = false;                // whether all rows are brought to `norm` instead of being scaled
  std::vector<std::string> labels;  // the label's texts by arm; empty: labels are the numbers of arms

  // The number of features of the columns, before components.
  [[nodiscard]] std::size_t features() const;
  // The number of features of a row that the recipe makes.
  [[nodiscard]] std::size_t width() const {
    return (components.count > 0 ? components.count : features()) + (constant > 0 ? 1 : 0);
  }
  // The names of the features of a row, distinct: "age", "age missing", "plan=gold", "plan=other", or pc_0, pc_1, ...,
  // and "constant".
  [[nodiscard]] std::vector<std::string> names() const;
  // How the cells of the column are meant.
  [[nodiscard]] CellForm form_of(const ColumnRecipe& column) const { return form_of_column(form, column.words); }
  // The column with that use; columns.size() if there is none.
  [[nodiscard]] std::size_t column_of(ColumnUse use) const;
};

// Recipes as files: recipe.toml, which people can read and change.
//
//     [recipe]          version, constant, scale, norm, unit_norm, decimal_comma, missing, values, labels
//     [[column]]        one for each column of the table, in its order: name and use ("number", "categories", "id",
//                       "label", "left out"), its own words for missing values and for values (missing, values), and
//                       the numbers and categories of the use
//     [components]      count, mean, loadings; only where rows are principal components
//
// Version 2 compares texts in one Unicode form and keeps codes as texts (CellForm). A recipe of version 1 still makes
// the same rows. A written recipe reads back as the same recipe, bit for bit. A recipe has at most 4 MB. Errors are
// InputError with file:line:column, and name the key.

inline constexpr std::size_t longest_recipe = std::size_t{1} << 22;

// The text of a recipe's file. Throws InputError if the text would be longer than 4 MB.
[[nodiscard]] std::string recipe_text(const Recipe& recipe);
// `file` is the name for messages. RowMaker checks whether the parts fit together.
[[nodiscard]] Recipe parse_recipe(const std::string& text, const std::string& file);
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& path);

}  // namespace sotto::apps::prepare
