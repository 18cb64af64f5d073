#include "apps/kit/files/csv_line.h"

#include "apps/kit/files/input_file.h"

namespace sotto::apps {

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
  // Within quotes a separator is text; a doubled quote closes and opens again.
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
