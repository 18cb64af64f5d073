#include "sotto/apps/kit/tables/table_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/apps/kit/program/near_name.h"

namespace sotto::apps {

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

std::vector<double> make_rows(const TextTable& table, const RowMaker& maker, RowNotes& notes) {
  const TableRows rows(table, maker.recipe());
  const std::size_t width = maker.width();
  std::vector<double> values(table.rows() * width);
  for_each_row(table, rows, maker.recipe().columns.size(), [&](std::size_t r, std::span<const TableCell> cells) {
    maker.make(cells, std::span(values).subspan(r * width, width), notes);
  });
  return values;
}

}  // namespace sotto::apps
