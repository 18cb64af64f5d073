// The recipe of one party's table: learned from the table, or the recipe of an earlier table. `sotto prepare party` and
// the Python class Recipe both use these functions, so both make the same recipes and rows.
//
// Throws InputError for options or tables that do not fit. The messages name the flag, or the place in the table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/table_rows.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

inline constexpr double default_constant = 0.2;

struct PartyFitOptions {
  FitOptions fit = party_fit();
  std::size_t parties = 2;  // 2 to 8
  double max_norm = 1;      // bound on the norm of a joint row
  std::optional<double> share{};

  // The default options of a party: rows have a constant feature, and are all scaled to the same norm.
  [[nodiscard]] static FitOptions party_fit();
};

struct PartyRecipe {
  Recipe recipe;
  std::optional<ArmLabels> labels{};
  std::vector<ColumnFinding> columns{};
  std::vector<std::string> warnings{};
  std::optional<double> kept_variance{};
};

[[nodiscard]] PartyRecipe fit_party(const TextTable& table, const PartyFitOptions& options);
// Checks that the table has the columns of the recipe. Warns of columns that the recipe does not know.
[[nodiscard]] PartyRecipe use_recipe(const TextTable& table, Recipe recipe);

[[nodiscard]] std::optional<std::size_t> column_of_use(const TextTable& table, const Recipe& recipe, ColumnUse use);
// The table's columns that make the ids, in the order in which an id joins the cells of these columns. Empty if the
// recipe has no ids. Throws InputError if the table lacks one of the recipe's columns of ids.
[[nodiscard]] Columns id_columns(const TextTable& table, const Recipe& recipe);
// The form of the cells of ids. The recipe must have ids.
[[nodiscard]] CellForm form_of_ids(const Recipe& recipe);
// The id of each row; empty if the recipe has no ids. Throws the errors of id_columns() and check_ids().
[[nodiscard]] std::vector<std::string> checked_ids(const TextTable& table, const Recipe& recipe);

// Warns if most rows were shortened, and of drift (doubts.h) from the recipe of an earlier table.
[[nodiscard]] std::vector<std::string> warnings_of_rows(const Recipe& recipe, const RowNotes& notes, bool is_earlier);

}  // namespace sotto::apps::prepare
