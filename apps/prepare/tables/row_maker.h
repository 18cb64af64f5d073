// Applies a recipe to one row at a time: a table's row, or a single row that comes later. There is one path through the
// code for all rows. Therefore a row makes the same features, bit for bit, whether it is a line of a CSV or JSON.
//
//     const RowMaker maker(read_recipe("recipe.toml"));
//     std::vector<double> x = maker.make(nlohmann::json::parse(R"({"age": 41, "plan": "gold"})"));
//
// A RowMaker does not change, so several threads may use the same RowMaker. Errors are InputError. An error names the
// column and the kind of the cell's content, never the value.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/prepare/tables/recipe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {

// Figures about the cells of one column of the recipe.
struct ColumnNotes {
  std::size_t missing = 0;
  std::size_t unknown = 0;  // number of cells of categories that the recipe does not know
  std::size_t clipped = 0;
};

// Sums over rows.
struct RowNotes {
  std::size_t rows = 0;
  std::size_t missing = 0;             // number of missing cells
  std::size_t unknown = 0;             // number of cells of categories that the recipe does not know
  std::size_t clipped = 0;             // number of clipped cells
  std::size_t shortened = 0;           // number of rows that were shortened to the norm
  std::vector<ColumnNotes> columns{};  // one for each column of the recipe; empty before the first row

  RowNotes& operator+=(const RowNotes& other);
};

// The error for a cell that the recipe cannot read. what() begins with the column's name.
class CellError : public InputError {
 public:
  CellError(std::size_t column, const std::string& message) : InputError(message), column_(column) {}
  // The column's number in the recipe, from 0.
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t column_;
};

class RowMaker {
 public:
  // Throws InputError if a number of the recipe is out of its bounds, or if the parts of the recipe do not fit
  // together.
  explicit RowMaker(Recipe recipe);

  [[nodiscard]] const Recipe& recipe() const { return recipe_; }
  // The number of features of a row.
  [[nodiscard]] std::size_t width() const { return width_; }

  // `cells` has one cell for each column of the recipe; cells of columns without features are ignored. `out` has room
  // for width() numbers. The norm of the row is at most the recipe's norm, except for rounding. Adds to `notes`. Throws
  // CellError.
  void make(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const;

  // `row` is an object with a value for each column that makes features: a number, a text, true, false, or null if the
  // value is missing. `row` may also have ids, labels and left-out columns. Any other name is refused, and a column
  // that makes features must not be missing. Names are compared in the form of plain_text(). If `notes` is given, adds
  // the row's figures to `notes`.
  [[nodiscard]] std::vector<double> make(const nlohmann::json& row) const;
  [[nodiscard]] std::vector<double> make(const nlohmann::json& row, RowNotes& notes) const;

  // Makes the features of a row before components and norm. The number of these features is features() of the recipe.
  // Adds the row's figures to `notes`. For fitting.
  void make_features(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const;
  // Makes a row from features: applies the components, the constant, the scale and the norm. For fitting.
  void finish(std::span<const double> features, std::span<double> out, RowNotes& notes) const;

 private:
  [[nodiscard]] std::vector<const nlohmann::json*> values_of(const nlohmann::json& row) const;

  Recipe recipe_;
  std::size_t width_;
  std::vector<CellForm> forms_;     // one form per column of the recipe
  std::vector<std::string> names_;  // names of the columns, in the form in which names are compared
};

}  // namespace sotto::apps::prepare
