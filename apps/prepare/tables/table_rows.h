// Reads the rows of a table as the cells that a recipe needs, and makes rows of features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

class TableRows {
 public:
  // Finds, by name, each column that makes features. Throws InputError that names a missing column. `table` and
  // `recipe` must outlive this object.
  TableRows(const TextTable& table, const Recipe& recipe);

  // The cells of row r in the order of the recipe's columns.
  void read(std::size_t r, std::span<TableCell> cells) const;
  // Throws InputError that begins with the cell's place, file:line:cell.
  [[noreturn]] void refuse(std::size_t r, const CellError& error) const;
  // The names of the table's columns that the recipe does not have.
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }

 private:
  const TextTable& table_;
  // For each column of the recipe, the index of the table's column; table.columns().size() if the table lacks it.
  std::vector<std::size_t> columns_;
  std::vector<std::string> others_;
};

// Calls `use(r, cells)` for each row. A CellError becomes an InputError with the place of the cell.
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

// Throws InputError, with the place, if a column's mark probably separates thousands. This is probable if the column is
// nearer to the recipe's centre when each mark is read as a separator. fit.h checks the table from which a recipe is
// learned.
void check_thousands(const TextTable& table, const Recipe& recipe);

// Makes all rows, row-major: table.rows() x maker.width(). Adds the figures of the rows to `notes`.
[[nodiscard]] std::vector<double> make_rows(const TextTable& table, const RowMaker& maker, RowNotes& notes);

// The label of each row of a table: the number of the arm that is best in the row.
//
// Labels may be whole numbers from 0 without gaps, which are the numbers of the arms. Labels may also be any other
// whole numbers, or any texts; such labels are numbered from 0. Whole numbers are numbered by size, and texts in
// alphabetical order. For example, the labels 1, 2, 3 become the arms 0, 1, 2, and so do the labels 0, 10, 20. Errors
// are InputError and name file:line:cell.

struct ArmLabels {
  std::vector<std::uint32_t> arms;  // number of the arm of each row
  std::size_t count = 0;            // number of arms
  std::vector<std::string> texts;   // the label of each arm, if labels are not the numbers of arms; otherwise empty
  std::string warning;              // warning if labels look like arms but were numbered again; otherwise empty
};

// `known` has the texts of an earlier table (ArmLabels::texts). A label that is not in `known` is refused. If `known`
// is empty, the labels are the numbers of arms.
[[nodiscard]] ArmLabels read_labels(const TextTable& table, std::size_t column, const CellForm& form,
                                    const std::optional<std::vector<std::string>>& known = std::nullopt);

}  // namespace sotto::apps::prepare
