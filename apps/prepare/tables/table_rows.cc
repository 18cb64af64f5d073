#include "apps/prepare/tables/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/kit/program/near_name.h"
#include "apps/prepare/tables/column_profile.h"

namespace sotto::apps::prepare {
namespace {

// Whether the numbers are nearer to the centre where each mark is one between thousands.
bool are_nearer_as_thousands(const TextTable& table, std::size_t column, const ColumnRecipe& recipe,
                             const ColumnProfile& profile, char mark) {
  double as_read = 0;
  double as_thousands = 0;
  for (std::size_t i = 0; i < profile.numbers.size(); ++i) {
    const bool is_group = shape_of(plain_text(table.cell(profile.rows[i], column)), mark) == NumberShape::one_group;
    as_read += std::abs(profile.numbers[i] - recipe.centre);
    as_thousands += std::abs((is_group ? 1000 : 1) * profile.numbers[i] - recipe.centre);
  }
  return as_thousands < as_read;
}

}  // namespace

TableRows::TableRows(const TextTable& table, const Recipe& recipe) : table_(table) {
  const std::size_t none = table.columns().size();
  std::vector<bool> named(none, false);
  columns_.reserve(recipe.columns.size());
  for (const ColumnRecipe& column : recipe.columns) {
    const auto found = table.find_column(column.name);
    if (!found && column.has_features()) {
      throw InputError(
          table.file() + ":1",
          fmt::format("there is no column '{}', which the recipe needs{}; is it a recipe of another table?",
                      column.name, did_you_mean(column.name, table.columns())));
    }
    columns_.push_back(found.value_or(none));
    if (found) named[*found] = true;
  }
  for (std::size_t c = 0; c < none; ++c) {
    if (!named[c]) others_.push_back(table.columns()[c]);
  }
}

void TableRows::read(std::size_t r, std::span<TableCell> cells) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    cells[c] = TableCell();
    if (columns_[c] < table_.columns().size()) cells[c].text = table_.cell(r, columns_[c]);
  }
}

void TableRows::refuse(std::size_t r, const CellError& error) const {
  throw InputError(table_.where(r, columns_[error.column()]), error.what());
}

void check_thousands(const TextTable& table, const Recipe& recipe) {
  for (const ColumnRecipe& column : recipe.columns) {
    const auto found = table.find_column(column.name);
    if (!found || column.use != ColumnUse::number || column.percent) continue;
    const CellForm form = recipe.form_of(column);
    const char mark = form.decimal_comma ? ',' : '.';
    const ColumnProfile profile = profile_column(table, *found, form, false);
    if (!profile.may_be_thousands() || !are_nearer_as_thousands(table, *found, column, profile, mark)) continue;
    throw InputError(table.where(profile.first_one_group, *found),
                     fmt::format("column '{0}': a number that has a {1} and three digits behind it, and the recipe's "
                                 "table had larger ones; where the {1} is between thousands, save the table without "
                                 "it; where it is a decimal mark, write a fourth digit",
                                 column.name, form.decimal_comma ? "comma" : "point"));
  }
}

std::vector<double> make_rows(const TextTable& table, const RowMaker& maker, RowNotes& notes) {
  const TableRows rows(table, maker.recipe());
  const std::size_t width = maker.width();
  std::vector<double> values(table.rows() * width);
  for_each_row(table, rows, maker.recipe().columns.size(), [&](std::size_t r, std::span<const TableCell> cells) {
    maker.make(cells, std::span(values).subspan(r * width, width), notes);
  });
  return values;
}

}  // namespace sotto::apps::prepare
