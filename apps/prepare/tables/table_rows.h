// A table's rows as the cells that a recipe wants, and as rows of features.
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

// The column of a company's table that says which case a row is about.

// That every row has an id and none comes twice. `ids` are those of the column by row, as they are compared. Throws
// InputError that names the line, or both lines, and never shows an id.
void check_ids(const TextTable& table, std::size_t id_column, const CellForm& form,
               std::span<const std::string_view> ids);

// The order of the rows: by the bytes of their ids where `sort` says so, else the table's. Throws as check_ids().
[[nodiscard]] std::vector<std::size_t> order_of_rows(const TextTable& table, std::size_t id_column,
                                                     const CellForm& form, bool sort);

// The label of each row of a table: the number of the arm that is best in it.
//
// ArmLabels may be whole numbers from 0 without gaps, which are the arms, or any texts or whole numbers, which are then
// numbered: whole numbers by size (labels from 1, and 0, 10 and 20, become arms from 0), texts by the alphabet. Errors
// are InputError and name file:line:cell.

struct ArmLabels {
  std::vector<std::uint32_t> arms;  // by row
  std::size_t count = 0;            // of arms
  std::vector<std::string> texts;   // by arm, where the label is not the number of the arm; else empty
  std::string warning;              // of numbers that look like arms, and were numbered anew; else empty
};

// `known` has the texts of an earlier table (ArmLabels::texts): a label that is not among them is refused, and without
// any the labels are the numbers of arms.
[[nodiscard]] ArmLabels read_labels(const TextTable& table, std::size_t column, const CellForm& form,
                                    const std::optional<std::vector<std::string>>& known = std::nullopt);

}  // namespace sotto::apps::prepare
