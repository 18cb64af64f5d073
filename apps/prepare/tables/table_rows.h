// A table's rows as the cells that a recipe wants, and as rows of features.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

class TableRows {
 public:
  // Finds each column that makes features by its name; throws InputError that names those which are not there. `table`
  // and `recipe` outlive this object.
  TableRows(const TextTable& table, const Recipe& recipe);

  // The cells of row r in the order of the recipe's columns.
  void read(std::size_t r, std::span<TableCell> cells) const;
  // Says where the cell is: InputError that begins with file:line:cell.
  [[noreturn]] void refuse(std::size_t r, const CellError& error) const;
  // Columns of the table that the recipe does not name.
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }

 private:
  const TextTable& table_;
  std::vector<std::size_t> columns_;  // of the table, by that of the recipe; table.columns().size() where there is none
  std::vector<std::string> others_;
};

// Calls `use(r, cells)` for each row; a CellError becomes an InputError with its place.
template <class Use>
void for_each_row(const TextTable& table, const TableRows& rows, std::size_t columns, const Use& use) {
  std::vector<TableCell> cells(columns);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    rows.read(r, cells);
    try {
      use(r, std::span<const TableCell>(cells));
    } catch (const CellError& error) {
      rows.refuse(r, error);
    }
  }
}

// Throws InputError, with the place, where the mark of a column's numbers may be one between thousands, and they are
// nearer to those of the recipe's table if it is. Of the table that a recipe is learned from fit.h takes care.
void check_thousands(const TextTable& table, const Recipe& recipe);

// All rows, row-major: table.rows() x maker.width(). Adds to `notes`.
[[nodiscard]] std::vector<double> make_rows(const TextTable& table, const RowMaker& maker, RowNotes& notes);

}  // namespace sotto::apps::prepare
