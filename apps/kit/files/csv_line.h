// One line of a CSV, cell by cell.
//
// A cell may stand in double quotes, a quote within is doubled, and a separator within is text. Blanks around a cell
// are no part of it. Nothing here fails: quotes that do not match are found by unquoted_cell().
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps {

class CsvCells {
 public:
  // `line` outlives this object.
  explicit CsvCells(std::string_view line, char separator = ',') : rest_(line), separator_(separator) {}

  // Whether all are taken. A line has one cell at least.
  [[nodiscard]] bool done() const { return done_; }
  // The next cell, with its quotes.
  std::string_view next();

 private:
  [[nodiscard]] std::size_t find_separator() const;

  std::string_view rest_;
  char separator_;
  bool done_ = false;
};

// The cell without its quotes; nothing where they do not match.
[[nodiscard]] std::optional<std::string> unquoted_cell(std::string_view cell);

}  // namespace sotto::apps
