#include "apps/kit/files/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

std::vector<std::string> parse_header(std::string_view line, const std::string& file) {
  if (line.find(',') == std::string_view::npos && line.find_first_of(";\t") != std::string_view::npos) {
    throw InputError(line_place(file, 1), "the columns are not separated by commas; save the file with commas");
  }
  std::vector<std::string> columns;
  std::set<std::string> seen;
  for (CsvCells cells(line); !cells.done();) {
    auto name = unquoted_cell(cells.next());
    const std::string where = line_place(file, 1, columns.size() + 1);
    if (!name) throw InputError(where, "the quotes of this column name do not match");
    if (name->empty()) throw InputError(where, "this column has no name; give every column one in the header");
    if (!seen.insert(*name).second) {
      throw InputError(where, fmt::format("a second column is named '{}'; names must differ", *name));
    }
    columns.push_back(std::move(*name));
  }
  return columns;
}

constexpr std::string_view empty_cell = "the cell is empty, a number is needed";
constexpr std::string_view not_a_number = "not a number";
constexpr std::string_view too_large =
    "the number is larger in size than 1e30, the most that a cell may be; scale the column";
static_assert(largest_cell == 1e30);

std::optional<std::string_view> parse_number(std::string_view cell, double& value) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    cell = trim(cell.substr(1, cell.size() - 2));
  }
  if (cell.empty()) return empty_cell;
  if (cell.size() > 1 && cell.front() == '+' && cell[1] != '-') cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc::invalid_argument || end != cell.data() + cell.size()) return not_a_number;
  if (error != std::errc()) return "the number does not fit a double";
  if (!std::isfinite(value)) return "not a finite number";
  if (std::abs(value) > largest_cell) return too_large;
  return std::nullopt;
}

class Rows {
 public:
  Rows(const std::filesystem::path& path, Header header)
      : lines_(path,
               header == Header::required ? "a CSV file with a header line and rows of numbers"
                                          : "a CSV file with rows of numbers",
               max_line_bytes, most_text_bytes) {}

  [[nodiscard]] bool next() {
    if (!lines_.next()) return false;
    if (!trim(lines_.text()).empty()) return true;
    const std::string blank = lines_.place();
    const bool first = lines_.number() == 1;
    while (lines_.next()) {
      if (trim(lines_.text()).empty()) continue;
      throw InputError(blank, first ? "the first line is blank; remove it" : "a blank line between rows; remove it");
    }
    return false;
  }
  [[nodiscard]] std::string_view text() const { return lines_.text(); }
  [[noreturn]] void refuse_empty() const { lines_.refuse_empty(); }

 private:
  TextLines lines_;
};

class TextColumns {
 public:
  TextColumns(const std::vector<std::string>& columns, const IsText& is_text) : numbers_(columns.size()) {
    for (std::size_t i = 0; i < columns.size() && is_text; ++i) {
      if (is_text(columns[i])) numbers_[i].emplace();
    }
  }

  std::optional<double> number_of(std::size_t column, std::string_view cell, Table& table) {
    if (!numbers_[column]) return std::nullopt;
    const std::string text = unquoted_cell(cell).value_or(std::string(cell));
    const auto next = static_cast<double>(numbers_[column]->size());
    const auto [found, fresh] = numbers_[column]->try_emplace(text, next);
    if (fresh) {
      table.texts[column].push_back(text);
      bytes_ += 2 * text.size() + bytes_beside_a_text;
    }
    return found->second;
  }

  // In bytes, approximately.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  // Each text needs two strings and a node of the map.
  static constexpr std::size_t bytes_beside_a_text = 128;

  std::size_t bytes_ = 0;
  std::vector<std::optional<std::unordered_map<std::string, double>>> numbers_;
};

void parse_row(std::string_view line, std::size_t number, TextColumns& texts, Table& table) {
  const char* const leader = table.first_line == 1 ? "first line" : "header";
  std::size_t column = 0;
  for (CsvCells cells(line); !cells.done(); ++column) {
    const std::string_view cell = cells.next();
    if (column == table.columns.size()) {
      throw InputError(line_place(table.file, number, column + 1),
                       fmt::format("more cells than the {}'s {}", leader, counted(table.columns.size(), "column")));
    }
    if (const auto text = texts.number_of(column, cell, table)) {
      table.values.push_back(*text);
      continue;
    }
    double value = 0;
    if (const auto fault = parse_number(cell, value)) {
      if (cell.empty() && cells.done() && column + 1 < table.columns.size()) continue;
      throw InputError(line_place(table.file, number, column + 1),
                       fmt::format("{} (column '{}')", *fault, table.columns[column]));
    }
    table.values.push_back(value);
  }
  if (column < table.columns.size()) {
    throw InputError(line_place(table.file, number),
                     fmt::format("{}, but the {} has {} (missing from column '{}')", counted(column, "cell"), leader,
                                 counted(table.columns.size(), "column"), table.columns[column]));
  }
}

bool holds_numbers(std::string_view line) {
  for (CsvCells cells(line); !cells.done();) {
    double value = 0;
    const auto fault = parse_number(cells.next(), value);
    if (fault == not_a_number || fault == empty_cell) return false;
  }
  return true;
}

std::vector<std::string> numbered_columns(std::string_view line) {
  std::vector<std::string> columns;
  for (CsvCells cells(line); !cells.done(); (void)cells.next()) {
    columns.push_back(std::to_string(columns.size() + 1));
  }
  return columns;
}

void append_number(std::string& out, double value, std::optional<int> digits) {
  std::array<char, 64> buffer{};
  const auto result =
      digits ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, *digits)
             : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), result.ptr);
}

}  // namespace

std::optional<std::size_t> Table::find_column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::size_t Table::column(std::string_view name, std::string_view advice) const {
  if (const auto found = find_column(name)) return *found;
  throw InputError(file + ":1", fmt::format("there is no column '{}'; {}", name, advice));
}

std::optional<double> Table::whole_number(std::size_t r, std::size_t column) const {
  const double value = row(r)[column];
  return value >= 0 && value == std::floor(value) ? std::optional(value) : std::nullopt;
}

std::string Table::where(std::size_t r) const { return line_place(file, r + first_line); }

std::string Table::where(std::size_t r, std::size_t column) const {
  return line_place(file, r + first_line, column + 1);
}

Table read_csv(const std::filesystem::path& path, Header header, const IsText& is_text, const TableLimits& limits) {
  Table table;
  table.file = path.string();
  Rows lines(path, header);
  if (!lines.next()) lines.refuse_empty();
  bool has_row = header == Header::optional && holds_numbers(lines.text());
  if (has_row) {
    table.first_line = 1;
    table.columns = numbered_columns(lines.text());
  } else {
    table.columns = parse_header(lines.text(), table.file);
    has_row = lines.next();
  }
  table.texts.resize(table.columns.size());
  TextColumns texts(table.columns, table.first_line == 1 ? IsText() : is_text);
  for (; has_row; has_row = lines.next()) {
    const std::size_t number = table.rows + table.first_line;
    parse_row(lines.text(), number, texts, table);
    ++table.rows;
    if (table.values.size() * sizeof(double) + texts.bytes() > limits.most_memory) {
      throw InputError(
          line_place(table.file, number),
          fmt::format("the table takes more than {} bytes of memory up to this row; use fewer rows or columns",
                      limits.most_memory));
    }
  }
  if (table.rows < limits.fewest_rows) {
    throw InputError(line_place(table.file, 1), "there is no row below this header line");
  }
  return table;
}

std::string csv_cell(std::string_view text, char separator) {
  const bool blank_at_edge = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  if (!blank_at_edge && text.find(separator) == text.npos && text.find('"') == text.npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_text(std::span<const std::string> columns, std::span<const double> values, std::optional<int> digits) {
  if (columns.empty() || values.size() % columns.size() != 0) {
    throw std::invalid_argument("write_csv: the values do not fill rows of the columns");
  }
  std::string out;
  for (const std::string& name : columns) {
    if (name.empty() || name.find_first_of("\r\n") != std::string::npos) {
      throw std::invalid_argument("write_csv: a column name is empty or spans lines");
    }
    out += csv_cell(name);
    out += ',';
  }
  out.back() = '\n';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) <= largest_cell)) {
      throw std::invalid_argument("write_csv: a value is not finite, or too large");
    }
    append_number(out, values[i], digits);
    out += (i + 1) % columns.size() == 0 ? '\n' : ',';
  }
  return out;
}

void write_csv(const std::filesystem::path& path, std::span<const std::string> columns, std::span<const double> values,
               std::optional<int> digits) {
  write_file(path, csv_text(columns, values, digits));
}

std::string_view CsvCells::next() {
  const std::size_t end = find_separator();
  const std::string_view cell = rest_.substr(0, end);
  done_ = end == std::string_view::npos;
  if (!done_) rest_.remove_prefix(end + 1);
  return trim(cell);
}

std::size_t CsvCells::find_separator() const {
  std::size_t start = 0;
  while (start < rest_.size() && is_blank(rest_[start]) && rest_[start] != separator_) ++start;
  if (start == rest_.size() || rest_[start] != '"') return rest_.find(separator_);
  // A doubled quote toggles `quoted` twice, so the text stays inside the quotes.
  bool quoted = false;
  for (std::size_t i = start; i < rest_.size(); ++i) {
    if (rest_[i] == '"') quoted = !quoted;
    if (rest_[i] == separator_ && !quoted) return i;
  }
  return std::string_view::npos;
}

std::optional<std::string> unquoted_cell(std::string_view cell) {
  if (!cell.starts_with('"')) return std::string(cell);
  if (cell.size() < 2 || !cell.ends_with('"')) return std::nullopt;
  cell = cell.substr(1, cell.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '"' && (i + 1 == cell.size() || cell[++i] != '"')) return std::nullopt;
    text += cell[i];
  }
  return text;
}

}  // namespace sotto::apps
