// A company's table as it was exported: a CSV whose cells may have any content.
//
// The first line has distinct, non-empty column names, and each further line is one row. Commas, semicolons, tabs or
// pipes separate cells. A line "sep=;" before the header may name the separator. Quotes, blanks, byte order marks and
// line ends are as in apps/kit/files/table.h. Everything is UTF-8. No cell has several lines. Names of columns are
// compared in the form of plain_text() (cell.h).
//
// Errors are InputError and name file:line:cell and the flag that helps. For a data frame of Python they name the row,
// from 0, and the column. No error shows the content of a cell.
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
inline constexpr std::size_t most_table_memory = std::size_t{1} << 31;  // bytes of all cells

class TextTable {
 public:
  // If `has_header` is false, the first line is row 0, and the columns are named column_1, column_2, ...
  [[nodiscard]] static TextTable read(const std::filesystem::path& path, bool has_header = true);
  // `columns[c][r]` is the cell of row r in the column `names[c]`. All columns have the same number of rows.
  [[nodiscard]] static TextTable of_frame(std::vector<std::string> names,
                                          const std::vector<std::vector<std::string>>& columns);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] bool has_header() const { return first_line_ > names_line_; }
  // From 1.
  [[nodiscard]] std::size_t line_of(std::size_t row) const { return row + first_line_; }
  // The content of the cell, without quotes, and without blanks at the ends. The returned text lives as long as the
  // table.
  [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const;
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;
  // If the column does not exist, throws InputError that suggests similar names.
  [[nodiscard]] std::size_t column(std::string_view name, std::string_view flag) const;
  // "file:line:cell". For a frame, "row 3, column 'age'".
  [[nodiscard]] std::string where(std::size_t row, std::size_t column) const;
  // "file:line". For a frame, the number of the row.
  [[nodiscard]] std::string where(std::size_t row) const;
  [[nodiscard]] std::string where_names() const;

 private:
  TextTable() = default;
  void read_names(std::string_view line, bool has_header);
  void add_name(std::string name, const std::string& where, bool has_more, std::set<std::string>& seen);
  void add_row(std::string_view line, std::size_t number);
  void add_cell(std::string_view cell, std::size_t number);
  void add_frame_cell(std::string_view cell);
  void require_memory() const;

  std::string file_;
  bool is_frame_ = false;
  std::vector<std::string> columns_;
  std::size_t rows_ = 0;
  std::size_t names_line_ = 1;
  std::size_t first_line_ = 2;
  char separator_ = ',';
  std::string text_;
  std::vector<std::size_t> ends_;
};

inline constexpr std::string_view table_separators = ",;\t|";

// Returns the separator that a line such as "sep=;" names, or nothing for a line of another form. Throws InputError if
// the separator is not supported.
[[nodiscard]] std::optional<char> likely_separator(std::string_view line, const std::string& where);

// Finds the separator of a table from its first two lines. Candidates are the separators in the first line, outside of
// quotes. If some candidates give both lines the same number of cells, only these remain. The result is the only
// remaining candidate, or the one that gives at least twice as many cells as any other. If the first line contains no
// separator, it is the name of the only column. Throws InputError if the separator is not clear, or if blanks separate
// the cells.
[[nodiscard]] char separator_of(std::string_view first, std::string_view second, const std::string& where);

[[nodiscard]] std::size_t cells_of(std::string_view line, char separator);

}  // namespace sotto::apps::prepare
