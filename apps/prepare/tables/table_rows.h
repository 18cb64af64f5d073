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
  // Throws InputError that names a missing column. `table` and `recipe` must outlive this object.
  TableRows(const TextTable& table, const Recipe& recipe);

  void read(std::size_t r, std::span<TableCell> cells) const;
  [[noreturn]] void refuse(std::size_t r, const CellError& error) const;
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }

 private:
  const TextTable& table_;
  std::vector<std::size_t> columns_;
  std::vector<std::string> others_;
};

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

// Throws InputError, with the place, if the marks in a column of numbers probably separate thousands. This is so if the
// numbers are nearer to the recipe's centre when each mark is read as a separator.
void check_thousands(const TextTable& table, const Recipe& recipe);

// Row-major: table.rows() x maker.width(). Adds to `notes`.
[[nodiscard]] std::vector<double> make_rows(const TextTable& table, const RowMaker& maker, RowNotes& notes);

// Labels that are whole numbers from 0 without gaps are the numbers of the arms. Other labels are numbered from 0:
// whole numbers by size, and texts in alphabetical order. For example, both the labels 1, 2, 3 and the labels 0, 10, 20
// become the arms 0, 1, 2. Errors are InputError and name file:line:cell.

struct ArmLabels {
  std::vector<std::uint32_t> arms;
  std::size_t count = 0;
  std::vector<std::string> texts;  // the label of each arm; empty if labels are the numbers of arms
  std::string warning;
};

// `known` has the texts of an earlier table (ArmLabels::texts). A label that is not in `known` is refused. If `known`
// is empty, the labels are the numbers of arms.
[[nodiscard]] ArmLabels read_labels(const TextTable& table, std::size_t column, const CellForm& form,
                                    const std::optional<std::vector<std::string>>& known = std::nullopt);

}  // namespace sotto::apps::prepare
