#include "apps/prepare/tables/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/count.h"

namespace sotto::apps::prepare {
namespace {

// Of numbers that clip at four deviations; more of them are another scale.
constexpr double usually_clipped = 0.01;

double usual_part_of(const ColumnRecipe& column) {
  if (column.use == ColumnUse::number) return std::max(column.usual_part.value_or(0), usually_clipped);
  return column.usual_part.value_or(0);
}

std::size_t beyond(const ColumnNotes& notes) { return notes.unknown + notes.clipped; }

}  // namespace

bool has_drifted(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows) {
  // Of recipes of earlier versions nobody knows how many were of no category.
  if (column.use == ColumnUse::categories && column.other && !column.usual_part) return false;
  const double part = usual_part_of(column);
  const auto met = static_cast<double>(beyond(notes));
  if (part == 0) return met > 0;
  // Four deviations of a binomial count above its mean.
  const double values = static_cast<double>(rows) - static_cast<double>(notes.missing);
  return met > values * part + 4 * std::sqrt(values * part * (1 - part)) + 1;
}

std::string drift_text(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows) {
  const std::size_t met = beyond(notes);
  std::string text = fmt::format("column '{}': {} of {} {} ", column.name, met, counted(rows - notes.missing, "value"),
                                 met == 1 ? "is" : "are");
  if (column.use == ColumnUse::number) {
    text += "clipped; is the column of another unit, or written otherwise, than in the recipe's table?";
  } else {
    text += "of no category that the recipe knows";
    if (column.other) text += " (\"other\")";
  }
  if (column.usual_part.value_or(0) > 0)
    text += fmt::format(" ({:.1f}% when the recipe was made)", 100 * *column.usual_part);
  return text;
}

std::vector<std::string> drift_texts(const Recipe& recipe, const RowNotes& notes) {
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < notes.columns.size(); ++c) {
    if (!has_drifted(recipe.columns[c], notes.columns[c], notes.rows)) continue;
    texts.push_back(drift_text(recipe.columns[c], notes.columns[c], notes.rows));
  }
  return texts;
}

}  // namespace sotto::apps::prepare
