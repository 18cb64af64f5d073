// A company's table as it was exported: a CSV whose cells may have any content.
//
// There is one header line of distinct, non-empty column names, then one line per row with one cell per column. Commas,
// semicolons, tabs or pipes separate cells. A line "sep=;" before the header may name the separator. Quotes, blanks,
// byte order marks and line ends are as in apps/kit/files/table.h. No cell has several lines, so row r (from 0) is line
// r + first_line of the file. Everything is UTF-8. Names of columns are compared in the form of plain_text() (cell.h).
//
// A data frame of Python is such a table too, if its cells are the texts that a CSV of the frame has.
//
// Errors are InputError and name file:line:cell and the flag that helps. For a data frame they name the row, from 0,
// and the column. No error shows the content of a cell.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps::prepare {

inline constexpr std::size_t most_table_columns = 16384;
inline constexpr std::size_t most_table_memory = std::size_t{1} << 31;  // the largest total size of all cells in bytes

class TextTable {
 public:
  // If `has_header` is false, the first line is row 0, and the columns are named column_1, column_2, ...
  [[nodiscard]] static TextTable read(const std::filesystem::path& path, bool has_header = true);
  // The table of a frame: `columns[c][r]` is the cell of row r in the column `names[c]`, and all columns have as many
  // rows. The cells are read as those of a file.
  [[nodiscard]] static TextTable of_frame(std::vector<std::string> names,
                                          const std::vector<std::vector<std::string>>& columns);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  // The separator of cells: ',', ';', a tab or '|'.
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] bool has_header() const { return first_line_ > names_line_; }
  // The line of the row in the file, from 1.
  [[nodiscard]] std::size_t line_of(std::size_t row) const { return row + first_line_; }
  // The cell without quotes, and without blanks at its ends. The returned text lives as long as the table.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const;
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;
  // The index of a column that must exist. If the column does not exist, throws InputError that suggests similar names.
  // `flag` is the flag that asked for the column.
  [[nodiscard]] std::size_t column(std::string_view name, std::string_view flag) const;
  // "file:line:cell", for messages. For a frame, "row 3, column 'age'".
  [[nodiscard]] std::string where(std::size_t row, std::size_t column) const;
  // "file:line". For a frame, the number of the row.
  [[nodiscard]] std::string where(std::size_t row) const;
  // The place of the names of the columns.
  [[nodiscard]] std::string where_names() const;

 private:
  TextTable() = default;
  void read_names(std::string_view line, bool has_header);
  // `seen` has the names before this one.
  void add_name(std::string name, const std::string& where, bool has_more, std::set<std::string>& seen);
  void add_row(std::string_view line, std::size_t number);
  void add_cell(std::string_view cell, std::size_t number);
  void add_frame_cell(std::string_view cell);
  void require_memory() const;

  std::string file_;
  bool is_frame_ = false;
  std::vector<std::string> columns_;
  std::size_t rows_ = 0;
  std::size_t names_line_ = 1;  // line of the names, or of row 0 if there are no names
  std::size_t first_line_ = 2;
  char separator_ = ',';
  std::string text_;               // text of all cells
  std::vector<std::size_t> ends_;  // end of each cell in `text_`
};

// Finds the separator of the cells of a table from the table's first lines: commas, semicolons, tabs or pipes.

inline constexpr std::string_view table_separators = ",;\t|";

// The separator that a line "sep=;" before the header names, as spreadsheets write and read it. Returns nothing for a
// line of another form. `where` is the place of the line. Throws InputError if the line names a separator that is not
// supported.
[[nodiscard]] std::optional<char> likely_separator(std::string_view line, const std::string& where);

// The separator that the first line has outside of quotes. If the first line has several separators, separators with
// which the first and the second line have the same number of cells are preferred. The result is the only preferred
// separator, or the preferred separator that gives at least twice as many cells as any other. Throws InputError if the
// separator is not clear, or if blanks separate the cells. `second` may be empty.
[[nodiscard]] char separator_of(std::string_view first, std::string_view second, const std::string& where);

// The number of cells of a line with the given separator.
[[nodiscard]] std::size_t cells_of(std::string_view line, char separator);

}  // namespace sotto::apps::prepare
