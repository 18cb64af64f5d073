// Numeric tables in CSV files. A file has one header line of distinct, non-empty column names, and then one line per
// row, with one finite number per column. Commas separate the columns, and no value spans lines. A byte order mark,
// CRLF and blank lines at the end are accepted. A name or number may be in double quotes, and may have blanks around
// it. Inside the quotes, a quote is written twice.
//
// The absolute value of a number is at most largest_cell (input_file.h).
//
// Errors are InputError and name file:line:column, where the column is the number of the cell. An error never shows the
// content of a cell, which may be a secret feature.
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

// In bytes.
inline constexpr std::size_t max_line_bytes = std::size_t{1} << 20;

struct Table {
  std::vector<std::string> columns;
  std::size_t rows = 0;
  std::vector<double> values;  // row-major
  std::string file;            // for messages
  std::size_t first_line = 2;  // line of row 0
  // texts[c] lists the texts that the numbers of column c represent. texts[c] is empty for a column of numbers.
  std::vector<std::vector<std::string>> texts;

  [[nodiscard]] std::span<const double> row(std::size_t r) const {
    return std::span(values).subspan(r * columns.size(), columns.size());
  }
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;
  [[nodiscard]] std::size_t column(std::string_view name, std::string_view advice) const;
  [[nodiscard]] std::optional<double> whole_number(std::size_t r, std::size_t column) const;
  [[nodiscard]] std::string where(std::size_t r) const;
  [[nodiscard]] std::string where(std::size_t r, std::size_t column) const;
};

// With `optional`, a file whose first line contains only numbers has no header, and this line is row 0. The columns of
// a file without a header are named "1", "2" and so on.
enum class Header : std::uint8_t { required, optional };

// Returns true if the column of this name contains texts. The reader replaces each text by a number. The first text
// becomes 0, the next new text becomes 1, and so on. A file without a header line has no text columns.
using IsText = std::function<bool(std::string_view)>;

struct TableLimits {
  std::size_t fewest_rows = 1;
  std::size_t most_memory = std::size_t{1} << 31;  // bytes
};

// A table has at least one column.
[[nodiscard]] Table read_csv(const std::filesystem::path& path, Header header = Header::required,
                             const IsText& is_text = {}, const TableLimits& limits = {});

[[nodiscard]] std::string csv_cell(std::string_view text, char separator = ',');

// Numbers have `digits` significant digits, or as many digits as are needed to read back the same double. Throws
// std::invalid_argument for values that read_csv would not accept.
[[nodiscard]] std::string csv_text(std::span<const std::string> columns, std::span<const double> values,
                                   std::optional<int> digits = std::nullopt);

// Throws ResourceError if the file cannot be written.
void write_csv(const std::filesystem::path& path, std::span<const std::string> columns, std::span<const double> values,
               std::optional<int> digits = std::nullopt);

// A cell may be in double quotes. Inside the quotes, a quote is written twice, and a separator is part of the text.
// Blanks around a cell are removed. CsvCells accepts any line; unquoted_cell() finds quotes that do not match.

class CsvCells {
 public:
  explicit CsvCells(std::string_view line, char separator = ',') : rest_(line), separator_(separator) {}

  [[nodiscard]] bool done() const { return done_; }
  std::string_view next();

 private:
  [[nodiscard]] std::size_t find_separator() const;

  std::string_view rest_;
  char separator_;
  bool done_ = false;
};

[[nodiscard]] std::optional<std::string> unquoted_cell(std::string_view cell);

}  // namespace sotto::apps
