// Applies a recipe to one row at a time: a table's row, or a single row that comes later. There is one path through the
// code. So a row makes the same features, bit for bit, as a line of a CSV and as JSON.
//
//     const RowMaker maker(read_recipe("recipe.toml"));
//     std::vector<double> x = maker.make(nlohmann::json::parse(R"({"age": 41, "plan": "gold"})"));
//
// A maker does not change, so several threads may use one. Errors are InputError. They name the column and the kind of
// its content, never the value.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/prepare/tables/recipe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {

// Counts of one column of the recipe.
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
  std::size_t shortened = 0;           // number of rows that were longer than the norm
  std::vector<ColumnNotes> columns{};  // one for each column of the recipe; empty before the first row

  RowNotes& operator+=(const RowNotes& other);
};

// A cell that the recipe cannot take. what() begins with the column's name.
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
  // Throws InputError if the recipe's numbers are out of their bounds or its parts do not fit together.
  explicit RowMaker(Recipe recipe);

  [[nodiscard]] const Recipe& recipe() const { return recipe_; }
  // The number of features of a row.
  [[nodiscard]] std::size_t width() const { return width_; }

  // `cells` has one cell for each column of the recipe; cells of columns without features are ignored. `out` has
  // width() places. Norms are at most the recipe's, except for rounding. Adds to `notes`. Throws CellError.
  void make(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const;

  // `row` is an object with a value for each column that makes features: a number, a text, true, false, or null if the
  // value is missing. Ids, labels and left-out columns may be there. Any other name is refused, and so is a missing
  // column. Names are compared in the form of plain_text(). Adds to `notes`, if given.
  [[nodiscard]] std::vector<double> make(const nlohmann::json& row) const;
  [[nodiscard]] std::vector<double> make(const nlohmann::json& row, RowNotes& notes) const;

  // The features before components and norm: features() of the recipe. Adds to `notes`. For fitting.
  void make_features(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const;
  // The remaining steps from features to a row. For fitting.
  void finish(std::span<const double> features, std::span<double> out, RowNotes& notes) const;

 private:
  [[nodiscard]] std::vector<const nlohmann::json*> values_of(const nlohmann::json& row) const;

  Recipe recipe_;
  std::size_t width_;
  std::vector<CellForm> forms_;     // one form per column of the recipe
  std::vector<std::string> names_;  // names of the columns, in the form in which they are compared
};

}  // namespace sotto::apps::prepare
