// Applies a recipe to one row at a time. A row makes the same features, bit for bit, whether it is a line of a CSV or
// JSON.
//
//     const RowMaker maker(read_recipe("recipe.toml"));
//     std::vector<double> x = maker.make(nlohmann::json::parse(R"({"age": 41, "plan": "gold"})"));
//
// Several threads may use the same RowMaker. Errors are InputError. An error names the column and the kind of the
// cell's content, never the value.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/prepare/tables/recipe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {

struct ColumnNotes {
  std::size_t missing = 0;
  std::size_t unknown = 0;
  std::size_t clipped = 0;
};

struct RowNotes {
  std::size_t rows = 0;
  std::size_t missing = 0;
  std::size_t unknown = 0;
  std::size_t clipped = 0;
  std::size_t shortened = 0;
  std::vector<ColumnNotes> columns{};

  RowNotes& operator+=(const RowNotes& other);
};

class CellError : public InputError {
 public:
  CellError(std::size_t column, const std::string& message) : InputError(message), column_(column) {}
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
  [[nodiscard]] std::size_t width() const { return width_; }

  // `cells` must contain one cell for each column of the recipe. make() ignores a cell if its column makes no feature.
  // `out` has room for width() numbers. The norm of the row is at most the recipe's norm, except for rounding. Adds to
  // `notes`. Throws CellError.
  void make(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const;

  // `row` is an object with a value for each column that makes features: a number, a text, true, false, or null if the
  // value is missing. `row` may also have ids, labels and left-out columns. Any other name is refused, and a column
  // that makes features must not be missing. Names are compared in the form of plain_text().
  [[nodiscard]] std::vector<double> make(const nlohmann::json& row) const;
  [[nodiscard]] std::vector<double> make(const nlohmann::json& row, RowNotes& notes) const;

  // For fitting: makes the features of a row, without the steps of finish().
  void make_features(std::span<const TableCell> cells, std::span<double> out, RowNotes& notes) const;
  // For fitting: applies the components, the constant, the scale and the norm.
  void finish(std::span<const double> features, std::span<double> out, RowNotes& notes) const;

 private:
  [[nodiscard]] std::vector<const nlohmann::json*> values_of(const nlohmann::json& row) const;

  Recipe recipe_;
  std::size_t width_;
  std::vector<CellForm> forms_;
  std::vector<std::string> names_;
};

}  // namespace sotto::apps::prepare
