// A column of a table in which each cell must be a number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

class NumberColumn {
 public:
  // `expected` completes "where ... is expected" in errors. `table` must outlive this object.
  NumberColumn(const TextTable& table, std::size_t column, std::string expected, CellForm form = {});

  // Throws InputError if the cell is no number.
  [[nodiscard]] double at(std::size_t row) const;
  [[nodiscard]] bool is_missing_at(std::size_t row) const;
  // Throws InputError. `kind` describes the content of the cell, such as "a number above 1".
  [[noreturn]] void refuse(std::size_t row, std::string_view kind) const;

 private:
  [[nodiscard]] TableCell cell_at(std::size_t row) const;

  const TextTable& table_;
  std::size_t column_;
  std::string expected_;
  CellForm form_;
};

}  // namespace sotto::apps::prepare
