#include "apps/live/api/row_drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/prepare/tables/drift.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::live {
namespace {

Counter& drift_counter(Metrics& metrics, const prepare::ColumnRecipe& column, bool has_own_series) {
  const Labels labels{{"column", has_own_series ? terminal_safe(column.name) : "(others)"}};
  return column.use == prepare::ColumnUse::number
             ? metrics.counter("sotto_clipped_numbers_total",
                               "Numbers of this party's rows beyond the recipe's clip, by column.", labels)
             : metrics.counter("sotto_unknown_categories_total",
                               "Values of this party's rows of no category that the recipe knows, by column.", labels);
}

void count_marks(const RowMarks& row, std::size_t columns, prepare::RowNotes& notes) {
  notes.columns.resize(columns);
  ++notes.rows;
  for (const MarkedCell& cell : row) {
    prepare::ColumnNotes& column = notes.columns.at(cell.column);
    ++(cell.mark == CellMark::missing   ? column.missing
       : cell.mark == CellMark::unknown ? column.unknown
                                        : column.clipped);
  }
}

bool is_beyond_recipe(const MarkedCell& cell) { return cell.mark != CellMark::missing; }

}  // namespace

RowMarks marks_of(const prepare::RowNotes& notes) {
  RowMarks marks;
  for (std::size_t c = 0; c < notes.columns.size(); ++c) {
    const auto column = static_cast<std::uint32_t>(c);
    if (notes.columns[c].missing > 0) marks.push_back({column, CellMark::missing});
    if (notes.columns[c].unknown > 0) marks.push_back({column, CellMark::unknown});
    if (notes.columns[c].clipped > 0) marks.push_back({column, CellMark::clipped});
  }
  return marks;
}

void RowDrift::report_to(const prepare::Recipe& recipe, std::function<void(const std::string&)> say, Metrics& metrics) {
  say_ = std::move(say);
  counters_.assign(recipe.columns.size(), nullptr);
  std::size_t own_series = 0;
  for (std::size_t c = 0; c < recipe.columns.size(); ++c) {
    if (!recipe.columns[c].has_features()) continue;
    counters_[c] = &drift_counter(metrics, recipe.columns[c], own_series < most_columns_of_metrics);
    ++own_series;
  }
}

void RowDrift::add(const prepare::Recipe& recipe, const RowMarks& row, LiveTime now) {
  count_marks(row, recipe.columns.size(), notes_);
  count_marks(row, recipe.columns.size(), since_line_);
  for (const MarkedCell& cell : row) {
    if (is_beyond_recipe(cell) && cell.column < counters_.size()) counters_[cell.column]->add();
  }
  const bool is_due = !last_line_ || now >= *last_line_ + between_lines;
  if (is_due && std::any_of(row.begin(), row.end(), is_beyond_recipe)) say_drift(recipe, now);
}

void RowDrift::say_drift(const prepare::Recipe& recipe, LiveTime now) {
  const std::vector<std::string> texts = drift_texts(recipe, since_line_);
  if (texts.empty() || !say_) return;
  std::string line = "features: " + terminal_safe(texts.front());
  if (texts.size() > 1) line += fmt::format("; and {} more, in GET /v1/figures", counted(texts.size() - 1, "column"));
  say_(line);
  last_line_ = now;
  since_line_ = {};
}

}  // namespace sotto::apps::live
