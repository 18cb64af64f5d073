#include "apps/prepare/tables/party_recipe.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "apps/prepare/data/contexts.h"
#include "apps/prepare/tables/doubts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::size_t fewest_companies = 2;
constexpr std::size_t most_companies = 8;

double share_of(const PartyFitOptions& options) {
  if (options.parties < fewest_companies || options.parties > most_companies) {
    throw InputError("--parties", fmt::format("{} to {} are possible", fewest_companies, most_companies));
  }
  check_max_norm(options.max_norm);
  const double share = options.share.value_or(options.max_norm / std::sqrt(static_cast<double>(options.parties)));
  if (share > 0 && share <= options.max_norm) return share;
  throw InputError("--share", fmt::format("must be above 0 and at most --max-norm, {}", options.max_norm));
}

}  // namespace

FitOptions PartyFitOptions::party_fit() {
  FitOptions fit;
  fit.constant = default_constant;
  fit.unit = true;
  return fit;
}

PartyRecipe fit_party(const TextTable& table, const PartyFitOptions& options) {
  FitOptions fit = options.fit;
  fit.norm = share_of(options);
  PartyRecipe result;
  if (fit.label) {
    result.labels = read_labels(table, table.column(*fit.label, "--label"),
                                form_of_column(table_words(fit.form, table.columns()), plain_text(*fit.label)));
  }
  FittedRecipe fitted = fit_recipe(table, fit, result.labels ? result.labels->arms : std::vector<std::uint32_t>());
  result.recipe = std::move(fitted.recipe);
  result.columns = std::move(fitted.columns);
  result.warnings = std::move(fitted.warnings);
  result.kept_variance = fitted.kept_variance;
  if (!result.labels) return result;
  result.recipe.labels = result.labels->texts;
  if (!result.labels->warning.empty()) result.warnings.push_back(result.labels->warning);
  return result;
}

PartyRecipe use_recipe(const TextTable& table, Recipe recipe) {
  PartyRecipe result;
  result.recipe = std::move(recipe);
  if (const auto column = column_of_use(table, result.recipe, ColumnUse::label)) {
    const ColumnRecipe& label = result.recipe.columns[result.recipe.column_of(ColumnUse::label)];
    result.labels = read_labels(table, *column, result.recipe.form_of(label), result.recipe.labels);
  }
  const TableRows rows(table, result.recipe);
  check_thousands(table, result.recipe);
  for (const std::string& name : rows.others()) {
    result.warnings.push_back(fmt::format("column '{}': the recipe does not know it, so it was left out", name));
  }
  return result;
}

std::optional<std::size_t> column_of_use(const TextTable& table, const Recipe& recipe, ColumnUse use) {
  const std::size_t column = recipe.column_of(use);
  return column < recipe.columns.size() ? table.find_column(recipe.columns[column].name) : std::nullopt;
}

Columns id_columns(const TextTable& table, const Recipe& recipe) {
  std::vector<std::string> names = recipe.ids;
  const std::size_t only = recipe.column_of(ColumnUse::id);
  if (names.empty() && only < recipe.columns.size()) names.push_back(recipe.columns[only].name);
  Columns columns;
  columns.reserve(names.size());
  for (const std::string& name : names) {
    const auto found = table.find_column(name);
    if (!found) {
      throw InputError(table.where_names(),
                       fmt::format("there is no column '{}', which the recipe has the ids in", name));
    }
    columns.push_back(*found);
  }
  return columns;
}

CellForm form_of_ids(const Recipe& recipe) { return recipe.form_of(recipe.columns[recipe.column_of(ColumnUse::id)]); }

std::vector<std::string> checked_ids(const TextTable& table, const Recipe& recipe) {
  const Columns columns = id_columns(table, recipe);
  if (columns.empty()) return {};
  std::vector<std::string> ids = row_ids(table, columns);
  check_ids(table, columns, form_of_ids(recipe), views_of(ids));
  return ids;
}

std::vector<std::string> warnings_of_rows(const Recipe& recipe, const RowNotes& notes, bool is_earlier) {
  std::vector<std::string> warnings;
  // Drift is checked only for the recipe of an earlier table, because a table has no drift from its own recipe.
  if (is_earlier) warnings = drift_texts(recipe, notes);
  if (2 * notes.shortened > notes.rows) {
    warnings.push_back(
        fmt::format("{} of {} were shortened to the norm: the recipe is of another table, or its scale is too large",
                    counted(notes.shortened, "row"), notes.rows));
  }
  return warnings;
}

}  // namespace sotto::apps::prepare
