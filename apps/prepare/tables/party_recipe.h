// The recipe of one party's table: learned from the table, or that of an earlier table, which the table must fit.
//
// `sotto prepare party` and Recipe of Python both make their recipes and rows here, so they make the same ones.
//
// Throws InputError for options or tables that do not fit. The messages name the flag, or the place in the table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/table_rows.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

inline constexpr double default_constant = 0.2;

struct PartyFitOptions {
  FitOptions fit = party_fit();   // the next three members give its norm
  std::size_t parties = 2;        // 2 to 8
  double max_norm = 1;            // bound on the norm of a joint row
  std::optional<double> share{};  // share of this company, instead of max_norm / sqrt(parties)

  // The default fit of a party: a constant, and rows of one norm.
  [[nodiscard]] static FitOptions party_fit();
};

struct PartyRecipe {
  Recipe recipe;
  std::optional<ArmLabels> labels{};     // the arms by row, if the table has the column of labels
  std::vector<ColumnFinding> columns{};  // the use of each column; empty for the recipe of an earlier table
  std::vector<std::string> warnings{};
  std::optional<double> kept_variance{};
};

// Learns the recipe of the table.
[[nodiscard]] PartyRecipe fit_party(const TextTable& table, const PartyFitOptions& options);
// Checks that the table has the columns of the recipe. Warns of columns that the recipe does not know.
[[nodiscard]] PartyRecipe use_recipe(const TextTable& table, Recipe recipe);

// The table's column with that use; nothing if the recipe or the table has none.
[[nodiscard]] std::optional<std::size_t> column_of_use(const TextTable& table, const Recipe& recipe, ColumnUse use);
// The table's columns that make the ids, in the order in which an id has their cells; none if the recipe has no ids. Throws InputError if the table lacks one of the
// recipe's columns of ids.
[[nodiscard]] std::vector<std::size_t> id_columns(const TextTable& table, const Recipe& recipe);

// The warnings of made rows: those of doubts.h about drift, if the recipe is of an earlier table, and of rows of which
// most were shortened.
[[nodiscard]] std::vector<std::string> warnings_of_rows(const Recipe& recipe, const RowNotes& notes, bool is_earlier);

}  // namespace sotto::apps::prepare
