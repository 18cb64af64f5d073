#include "apps/prepare/tables/number_column.h"

#include <fmt/format.h>

#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {

NumberColumn::NumberColumn(const TextTable& table, std::size_t column, std::string expected, CellForm form)
    : table_(table), column_(column), expected_(std::move(expected)), form_(std::move(form)) {}

double NumberColumn::at(std::size_t row) const {
  const TableCell cell = cell_at(row);
  if (const auto number = number_in(cell, form_)) return *number;
  refuse(row, described(kind_of(cell, form_)));
}

bool NumberColumn::is_missing_at(std::size_t row) const { return is_missing(cell_at(row), form_); }

void NumberColumn::refuse(std::size_t row, std::string_view kind) const {
  throw InputError(table_.where(row, column_),
                   fmt::format("column '{}': {} where {} is expected", table_.columns()[column_], kind, expected_));
}

TableCell NumberColumn::cell_at(std::size_t row) const {
  TableCell cell;
  cell.text = table_.cell(row, column_);
  return cell;
}

}  // namespace sotto::apps::prepare
