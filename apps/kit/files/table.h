// Numeric tables in CSV files: parties' features, environments, prepared data.
//
// A table file has one header line of distinct, non-empty column names. After the header line, the file has one line
// per row, with one finite number per column. Commas separate the columns. A name or number may be in double quotes (a
// quote inside is doubled) and may have blanks around it. A UTF-8 byte order mark, CRLF line ends and blank lines at
// the end of the file are accepted. No value spans lines, so row r (from 0) is line r + 2 of the file. A reader may
// allow files without the header line (Header::optional).
//
// The absolute value of a number is at most largest_cell (input_file.h). The file is read line by line.
//
// Errors are InputError. An error names file:line:column, where the column is the number of the cell (from 1), and the
// column's name. An error never shows the content of a cell, which may be a secret feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

// The longest accepted line, in bytes. A file with a longer line is no table of numbers.
inline constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

struct Table {
  std::vector<std::string> columns;
  std::size_t rows = 0;
  std::vector<double> values;  // row-major, rows x columns.size()
  std::string file;            // source of the table, for messages
  std::size_t first_line = 2;  // the line of row 0; 1 in a file without a header
  // For each column, the texts that the numbers of the column represent; no texts for a column of numbers.
  std::vector<std::vector<std::string>> texts;

  [[nodiscard]] std::span<const double> row(std::size_t r) const {
    return std::span(values).subspan(r * columns.size(), columns.size());
  }
  // The number (from 0) of the column with this name, if there is such a column.
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;
  // The number of the column with this name. If there is no such column, throws an InputError that ends with `advice`.
  [[nodiscard]] std::size_t column(std::string_view name, std::string_view advice) const;
  // The content of the cell if the content is a whole number that is at least 0.
  [[nodiscard]] std::optional<double> whole_number(std::size_t r, std::size_t column) const;
  // "file:line" of row r, for messages.
  [[nodiscard]] std::string where(std::size_t r) const;
  // "file:line:column" of a cell, for messages.
  [[nodiscard]] std::string where(std::size_t r, std::size_t column) const;
};

// Whether a file must begin with column names. If column names are optional, a first line whose cells are all numbers
// is row 0. The columns of a file without column names are named by their numbers, from "1" on.
enum class Header : std::uint8_t { required, optional };

// Whether the column of that name may have any text in its cells. The values of a text column are numbers that
// represent the texts (Table::texts), from 0 on in the order of first appearance. Without a header line, all columns
// have numbers.
using IsText = std::function<bool(std::string_view)>;

struct TableLimits {
  std::size_t fewest_rows = 1;
  std::size_t most_memory = std::size_t{1} << 31;  // bytes of the values and the texts
};

// Reads a table, which must have at least one column and `fewest_rows` rows. A table of 60,000 x 20 numbers takes a
// fraction of a second. Without `is_text` all columns have numbers.
[[nodiscard]] Table read_csv(const std::filesystem::path& path, Header header = Header::required,
                             const IsText& is_text = {}, const TableLimits& limits = {});

// The text as a cell of a CSV file. The cell is in quotes if the text contains a separator or a quote, or begins or
// ends with a blank.
[[nodiscard]] std::string csv_cell(std::string_view text, char separator = ',');

// The text of a file with these columns and values (row-major, columns.size() values a row). Numbers have `digits`
// significant digits, or as many digits as are needed to read back the same double. Names are in quotes where the
// format requires quotes. Throws std::invalid_argument for values that read_csv would not accept, or that do not fill
// whole rows.
[[nodiscard]] std::string csv_text(std::span<const std::string> columns, std::span<const double> values,
                                   std::optional<int> digits = std::nullopt);

// Writes csv_text() to a file, which appears either completely or not at all. Throws ResourceError if the file cannot
// be written.
void write_csv(const std::filesystem::path& path, std::span<const std::string> columns, std::span<const double> values,
               std::optional<int> digits = std::nullopt);

// Reads one line of a CSV file, cell by cell.
//
// A cell may be in double quotes. A quote inside the double quotes is doubled, and a separator inside the double quotes
// is text. Blanks around a cell are no part of the cell. CsvCells never fails; unquoted_cell() finds quotes that do not
// match.

class CsvCells {
 public:
  // `line` must outlive this object.
  explicit CsvCells(std::string_view line, char separator = ',') : rest_(line), separator_(separator) {}

  // Whether next() has returned all cells. A line has at least one cell.
  [[nodiscard]] bool done() const { return done_; }
  // The next cell, with its quotes if it has any.
  std::string_view next();

 private:
  [[nodiscard]] std::size_t find_separator() const;

  std::string_view rest_;
  char separator_;
  bool done_ = false;
};

// The content of the cell without quotes. Returns nothing if the quotes do not match.
[[nodiscard]] std::optional<std::string> unquoted_cell(std::string_view cell);

}  // namespace sotto::apps
