// Words for missing values of a table or of one column, as flags and recipes name them.
//
// A word is WORD, of all columns, or COLUMN=WORD where a column has that name. A column's own words go before those of
// the table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/prepare/tables/cell.h"

namespace sotto::apps::prepare {

// Of one column, beside those of the table.
struct ColumnWords {
  std::vector<std::string> missing{};
  std::vector<std::string> values{};

  [[nodiscard]] bool empty() const { return missing.empty() && values.empty(); }
};

struct TableWords {
  CellForm form;                               // with the words of all columns
  std::map<std::string, ColumnWords> columns;  // by name, where a column has its own
};

// Takes apart the words of `asked`, which may name columns. Throws InputError where one stands for both.
[[nodiscard]] TableWords table_words(const CellForm& asked, const std::vector<std::string>& columns);

// How the cells of a column with those words are meant.
[[nodiscard]] CellForm form_of_column(const CellForm& table, const ColumnWords& column);
[[nodiscard]] CellForm form_of_column(const TableWords& words, const std::string& column);

}  // namespace sotto::apps::prepare
