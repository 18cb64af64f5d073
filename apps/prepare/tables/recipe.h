// What makes a row of features from a row of a company's table, the same for every row that ever comes.
//
// A recipe is learned from a table once (fit.h), kept as a file (below), and applied to that table, to later
// ones and to single rows alike (row_maker.h). It is the company's own: it holds means of its columns and names of
// categories.
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
// A word is WORD, of all columns, or COLUMN=WORD where a column has that name. A column's own words go before those of
// the table.

// Of one column, beside those of the table.
struct ColumnWords {
  std::vector<std::string> missing{};
  std::vector<std::string> values{};

  [[nodiscard]] bool empty() const { return missing.empty() && values.empty(); }
};

struct TableWords {
  CellForm form;                               // with the words of all columns
  std::map<std::string, ColumnWords> columns;  // by name, where a column has its own
};

// Takes apart the words of `asked`, which may name columns. Throws InputError where one stands for both.
[[nodiscard]] TableWords table_words(const CellForm& asked, const std::vector<std::string>& columns);

// How the cells of a column with those words are meant.
[[nodiscard]] CellForm form_of_column(const CellForm& table, const ColumnWords& column);
[[nodiscard]] CellForm form_of_column(const TableWords& words, const std::string& column);

// What becomes of a column of the table.
enum class ColumnUse : std::uint8_t {
  number,      // one feature: (value - centre) / spread, clipped; and an indicator where values may be missing
  categories,  // a feature a category, 1 where the cell is of it, else 0
  id,          // names the case: no feature
  label,       // names the best arm: no feature
  subject,     // names whom the row is about, where that is not the id: no feature
  left_out,
};

// Bounds on the numbers of a recipe, so that no row, whatever it holds, makes a feature that is none.
inline constexpr double least_spread = 1e-30;
inline constexpr double largest_recipe_number = 1e60;
// Of a recipe, and so of a row of rows.csv.
inline constexpr std::size_t most_row_features = 16384;

struct ColumnRecipe {
  std::string name;
  ColumnUse use = ColumnUse::left_out;
  std::string why{};  // it is left out
  // Of a number.
  bool percent = false;  // 12% is 12
  double centre = 0;     // at most 1e30 in size, as is `fill`
  double spread = 1;     // 1e-30 to 1e60
  double clip = 0;       // in spreads, at most; 0: none
  double fill = 0;       // stands for a missing value
  // Of a number and of categories: a further feature, 1 where the value is missing, else 0.
  bool indicator = false;
  // Of categories, as category_of() has them, distinct.
  std::vector<std::string> categories{};
  bool other = false;   // a further feature, 1 where the cell is of none of them
  ColumnWords words{};  // for missing values, of this column alone
  // Of the table that the recipe was learned from, where it is known: the parts of its values that were clipped, or of
  // none of the categories. Later rows have drifted where they have many more.
  std::optional<double> usual_part{};

  [[nodiscard]] bool has_features() const { return use == ColumnUse::number || use == ColumnUse::categories; }
  [[nodiscard]] std::size_t features() const;
};

// Principal components of the features: a row becomes its coordinates along `loadings`.
struct ComponentsRecipe {
  std::size_t count = 0;         // 0: none
  std::vector<double> mean;      // of each feature
  std::vector<double> loadings;  // count x features; entries at most 1 in size
};

struct Recipe {
  CellForm form;
  std::vector<ColumnRecipe> columns;  // of the table, in its order; names are distinct
  ComponentsRecipe components;
  double constant = 0;              // a further feature, the same in each row, 0 to 1e30; 0: none
  double scale = 1;                 // each feature times this, above 0
  double norm = 1;                  // longer rows are shortened to it, 1e-30 to 1e30; infinite: none are
  bool unit = false;                // all rows are brought to `norm`; then there is no scale
  std::vector<std::string> labels;  // the label's texts by arm; empty: labels are the numbers of arms

  // Of the columns, before components.
  [[nodiscard]] std::size_t features() const;
  // Of a row that it makes.
  [[nodiscard]] std::size_t width() const {
    return (components.count > 0 ? components.count : features()) + (constant > 0 ? 1 : 0);
  }
  // The names of those, distinct: "age", "age missing", "plan=gold", "plan=other", or pc_0, pc_1, ..., and "constant".
  [[nodiscard]] std::vector<std::string> names() const;
  // How the cells of that column are meant.
  [[nodiscard]] CellForm form_of(const ColumnRecipe& column) const { return form_of_column(form, column.words); }
  // The column of that use, columns.size() if there is none.
  [[nodiscard]] std::size_t column_of(ColumnUse use) const;
};

// Recipes as files: recipe.toml, which people can read and change.
//
//     [recipe]          version, constant, scale, norm, unit_norm, decimal_comma, missing, values, labels
//     [[column]]        one for each column of the table, in its order: name and use ("number", "categories", "id",
//                       "label", "left out"), its own words for missing values and for itself (missing, values), and
//                       the numbers and categories of the use
//     [components]      count, mean, loadings; only where rows are principal components
//
// Version 2 compares texts in one Unicode form and keeps codes as texts (CellForm). A recipe of version 1 makes the
// same rows as ever. What is written reads back as the same recipe, bit for bit. At most 4 MB. Errors are InputError
// with file:line:column, and name the key.

inline constexpr std::size_t longest_recipe = std::size_t{1} << 22;

// Throws InputError where it would be longer.
[[nodiscard]] std::string recipe_text(const Recipe& recipe);
// `file` is the name for messages. Whether the parts fit together is RowMaker's to say.
[[nodiscard]] Recipe parse_recipe(const std::string& text, const std::string& file);
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& path);

}  // namespace sotto::apps::prepare
