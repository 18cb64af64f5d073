#include "apps/prepare/tables/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/table.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/say.h"
#include "apps/kit/settings/toml_text.h"
#include "apps/prepare/tables/cell.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr const char* table_needed = "a CSV file with a header line and rows";

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

void require_utf8(const TextLines& lines) {
  if (is_utf8(lines.text())) return;
  throw InputError(lines.place(), "not in UTF-8, as Latin-1 and Windows-1252 are not; save the table in UTF-8");
}

struct Candidate {
  char separator;
  std::size_t cells;
};

const char* name_of_separator(char separator) {
  switch (separator) {
    case ',':
      return "commas";
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    default:
      return "pipes";
  }
}

// Quotes are ignored if their number is odd.
bool has_outside_quotes(std::string_view line, char separator) {
  const bool has_pairs = std::count(line.begin(), line.end(), '"') % 2 == 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"' && has_pairs) quoted = !quoted;
    if (c == separator && !quoted) return true;
  }
  return false;
}

std::vector<Candidate> candidates_of(std::string_view line) {
  std::vector<Candidate> candidates;
  for (const char separator : table_separators) {
    if (has_outside_quotes(line, separator)) candidates.push_back({separator, cells_of(line, separator)});
  }
  return candidates;
}

std::vector<std::string_view> words_between_blanks(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = trim(line); !line.empty(); line = trim(line)) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

bool separated_by_blanks(std::string_view first, std::string_view second) {
  const auto names = words_between_blanks(first);
  const auto cells = words_between_blanks(second);
  if (names.size() < 2 || cells.size() != names.size() || first.find('"') != std::string_view::npos) return false;
  const auto numbers =
      std::count_if(cells.begin(), cells.end(), [](std::string_view cell) { return cell_number(cell).has_value(); });
  return trim(first).find("  ") != std::string_view::npos || trim(second).find("  ") != std::string_view::npos ||
         2 * static_cast<std::size_t>(numbers) > cells.size();
}

char separator_of_one_name(std::string_view first, std::string_view second, const std::string& where) {
  if (const auto others = candidates_of(second); !others.empty()) {
    throw InputError(where, fmt::format("this line is one name, and {} separate the cells of the next; remove a title "
                                        "above the header, or put texts that have them into quotes",
                                        name_of_separator(others.front().separator)));
  }
  if (separated_by_blanks(first, second)) {
    throw InputError(where, "blanks separate the cells; save the table with commas, semicolons, tabs or pipes");
  }
  return table_separators.front();
}

void require_columns(std::size_t count, const std::string& where) {
  if (count <= most_table_columns) return;
  throw InputError(where,
                   fmt::format("{}, and {} is the most; a row a case is needed, and a column for each thing that "
                               "is known of it",
                               counted(count, "column"), most_table_columns));
}

}  // namespace

TextTable TextTable::read(const std::filesystem::path& path, bool has_header) {
  TextTable table;
  table.file_ = path.string();
  TextLines lines(path, table_needed, longest_text_line, most_text_bytes);
  if (!lines.next()) lines.refuse_empty();
  require_utf8(lines);
  std::optional<char> stated = likely_separator(lines.text(), lines.place());
  if (stated && !lines.next()) throw InputError(lines.place(), "there is no header line below this one");
  if (trim(lines.text()).empty()) throw InputError(lines.place(), "the first line is blank; remove it");
  require_utf8(lines);
  const std::string first(lines.text());
  table.names_line_ = lines.number();
  table.first_line_ = table.names_line_ + (has_header ? 1 : 0);
  const std::string place = lines.place();
  bool more = lines.next();
  table.separator_ = stated ? *stated : separator_of(first, more ? lines.text() : "", place);
  table.read_names(first, has_header);
  if (!has_header) table.add_row(first, table.names_line_);
  std::optional<std::string> blank;
  for (; more; more = lines.next()) {
    // A line that consists of tabs is a row of empty cells if tabs are the separator.
    if (trim(lines.text()).empty() && lines.text().find(table.separator_) == std::string_view::npos) {
      if (!blank) blank = lines.place();
      continue;
    }
    if (blank) throw InputError(*blank, "a blank line between rows; remove it");
    require_utf8(lines);
    table.add_row(lines.text(), lines.number());
  }
  if (table.rows_ == 0) throw InputError(place, "there is no row below this header line");
  return table;
}

TextTable TextTable::of_frame(std::vector<std::string> names, const std::vector<std::vector<std::string>>& columns) {
  TextTable table;
  table.file_ = "the frame";
  table.is_frame_ = true;
  require_columns(names.size(), table.where_names());
  std::set<std::string> seen;
  for (std::size_t c = 0; c < names.size(); ++c) {
    table.add_name(std::move(names[c]), fmt::format("the frame's column {}", c), names.size() > 1, seen);
  }
  const std::size_t rows = columns.empty() ? 0 : columns.front().size();
  const auto has_all_rows = [&](const auto& column) { return column.size() == rows; };
  if (columns.size() != names.size() || !std::all_of(columns.begin(), columns.end(), has_all_rows)) {
    throw std::invalid_argument("TextTable::of_frame: the columns differ in rows, or are not as many as the names");
  }
  if (rows == 0) throw InputError(table.where_names(), "there is no row, or no column");
  for (; table.rows_ < rows; ++table.rows_) {
    for (const std::vector<std::string>& column : columns) table.add_frame_cell(column[table.rows_]);
  }
  return table;
}

void TextTable::read_names(std::string_view line, bool has_header) {
  const std::size_t count = cells_of(line, separator_);
  require_columns(count, where_names());
  columns_.reserve(count);
  std::set<std::string> seen;
  for (CsvCells cells(line, separator_); !cells.done();) {
    const std::string where = line_place(file_, names_line_, columns_.size() + 1);
    auto name = unquoted_cell(cells.next());
    if (!has_header) name = fmt::format("column_{}", columns_.size() + 1);
    if (!name) throw InputError(where, "the quotes of this column name do not match, or it spans lines");
    add_name(std::move(*name), where, count > 1, seen);
  }
}

void TextTable::add_name(std::string name, const std::string& where, bool has_more, std::set<std::string>& seen) {
  if (has_control(name)) throw InputError(where, "this column name has a control character; rename the column");
  name = plain_text(name);
  if (name.empty()) {
    throw InputError(where, is_frame_                      ? "its name is empty; rename the column"
                            : columns_.empty() && has_more ? "the first column has no name, as row numbers have none; "
                                                             "name it in the header, or save the table without it"
                                                           : "this column has no name; give every column one in the "
                                                             "header");
  }
  if (!seen.insert(name).second) {
    throw InputError(where, is_frame_ ? fmt::format("a second column of the name '{}'; rename one of them", name)
                                      : "a second column of the same name; names must differ (where the header line is "
                                        "missing, add one, or take the table by `sotto prepare party --no-header`)");
  }
  columns_.push_back(std::move(name));
}

void TextTable::add_row(std::string_view line, std::size_t number) {
  std::size_t count = 0;
  for (CsvCells cells(line, separator_); !cells.done(); ++count) {
    const std::string_view cell = cells.next();
    if (count == columns_.size()) {
      throw InputError(line_place(file_, number, count + 1),
                       fmt::format("more cells than the {} of the first line; a separator within a text needs quotes "
                                   "around it",
                                   counted(columns_.size(), "column")));
    }
    add_cell(cell, number);
  }
  if (count < columns_.size()) {
    throw InputError(line_place(file_, number),
                     fmt::format("{}, but the first line has {} (missing from column '{}'); no cell may span lines",
                                 counted(count, "cell"), counted(columns_.size(), "column"), columns_[count]));
  }
  ++rows_;
}

void TextTable::add_cell(std::string_view cell, std::size_t number) {
  if (cell.starts_with('"')) {
    const auto text = unquoted_cell(cell);
    if (!text) {
      throw InputError(line_place(file_, number, ends_.size() % columns_.size() + 1),
                       "the quotes of this cell do not match, or it spans lines; a cell must stand on one line");
    }
    text_ += trim(*text);
  } else {
    text_ += cell;
  }
  ends_.push_back(text_.size());
  require_memory();
}

void TextTable::add_frame_cell(std::string_view cell) {
  const std::size_t column = ends_.size() % columns_.size();
  const std::string_view text = trim(cell);
  if (!is_utf8(text)) throw InputError(where(rows_, column), "a text that is not in UTF-8; decode it first");
  if (text.find_first_of("\r\n") != std::string_view::npos) {
    throw InputError(where(rows_, column),
                     fmt::format("a text of several lines; make one line of it, or leave the column out with --drop {}",
                                 shell_quoted(columns_[column])));
  }
  text_ += text;
  ends_.push_back(text_.size());
  require_memory();
}

void TextTable::require_memory() const {
  if (text_.size() + ends_.size() * sizeof(std::size_t) <= most_table_memory) return;
  throw InputError(is_frame_ ? file_ : where(rows_),
                   fmt::format("the table takes more than {} bytes of memory up to {}; use fewer rows or columns",
                               most_table_memory, is_frame_ ? "row " + where(rows_) : "this row"));
}

std::string_view TextTable::cell(std::size_t row, std::size_t column) const {
  const std::size_t i = row * columns_.size() + column;
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

std::optional<std::size_t> TextTable::find_column(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), plain_text(name));
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

std::size_t TextTable::column(std::string_view name, std::string_view flag) const {
  if (const auto found = find_column(name)) return *found;
  throw InputError(where_names(),
                   fmt::format("there is no column '{}' ({}){}", name, flag, did_you_mean(name, columns_)));
}

std::string TextTable::where(std::size_t row, std::size_t column) const {
  if (is_frame_) return fmt::format("row {}, column '{}'", row, columns_[column]);
  return line_place(file_, line_of(row), column + 1);
}

std::string TextTable::where(std::size_t row) const {
  return is_frame_ ? std::to_string(row) : line_place(file_, line_of(row));
}

std::string TextTable::where_names() const { return is_frame_ ? file_ : line_place(file_, names_line_); }

std::size_t cells_of(std::string_view line, char separator) {
  std::size_t count = 0;
  for (CsvCells cells(line, separator); !cells.done(); (void)cells.next()) ++count;
  return count;
}

std::optional<char> likely_separator(std::string_view line, const std::string& where) {
  constexpr std::string_view begins = "sep=";
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  if (line.size() > 1 && line.front() == '"') line.remove_prefix(1);
  if (line.size() <= begins.size()) return std::nullopt;
  const bool is_told = std::equal(begins.begin(), begins.end(), line.begin(), [](char a, char b) {
    return a == b || (b >= 'A' && b <= 'Z' && a == b - 'A' + 'a');
  });
  if (!is_told) return std::nullopt;
  const char separator = line[begins.size()];
  const std::string_view behind = line.substr(begins.size() + 1);
  if (behind.find_first_not_of(",;\t|\" ") != std::string_view::npos) return std::nullopt;
  if (table_separators.find(separator) == std::string_view::npos) {
    throw InputError(where, "sep= names none of commas, semicolons, tabs and pipes; save the table with one of them");
  }
  return separator;
}

char separator_of(std::string_view first, std::string_view second, const std::string& where) {
  std::vector<Candidate> candidates = candidates_of(first);
  if (candidates.empty()) return separator_of_one_name(first, second, where);
  if (candidates.size() == 1) return candidates.front().separator;
  std::vector<Candidate> agreeing;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(agreeing),
               [&](const Candidate& each) { return cells_of(second, each.separator) == each.cells; });
  if (!agreeing.empty()) candidates = std::move(agreeing);
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.cells > b.cells; });
  if (candidates.size() == 1 || candidates[0].cells >= 2 * candidates[1].cells) return candidates[0].separator;
  throw InputError(
      where, fmt::format("this line has {} and {}; put names that have either into quotes, or write which of them "
                         "separates into a line before it, as sep=;",
                         name_of_separator(candidates[0].separator), name_of_separator(candidates[1].separator)));
}

}  // namespace sotto::apps::prepare
