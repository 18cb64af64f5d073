// A cell of a company's table, from a CSV or a JSON object. A message describes a cell by the kind of its content and
// never shows the content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps::prepare {

struct TableCell {
  std::string_view text;
  std::optional<double> number;
  bool is_null = false;
};

// If one of these words is a number, it matches every cell with the same number: the word -999 also matches the cell
// -999.0.
struct CellForm {
  bool decimal_comma = false;         // whether 1,5 is one and a half
  std::vector<std::string> missing;   // additional words for a missing value
  std::vector<std::string> values{};  // words that are values, although other tables use them for missing values
  // Whether the rules of recipes of version 1 apply: texts are compared byte by byte, codes such as 01067 are read as
  // numbers, and a JSON number matches no word.
  bool first_version = false;
};

enum class CellKind : std::uint8_t {
  missing,
  number,
  percentage,     // 12%
  decimal_comma,  // 1,5; or 1.5 if the decimal mark is a comma
  grouped,        // 1,234,567 or 1.234,5, also with non-breaking blanks
  currency,       // $12, 7,50 EUR
  not_finite,     // inf, or above 1e30
  date,           // 2026-11-23, 23.11.2026, 11/23/2026, with or without a time
  text,
};
inline constexpr std::size_t cell_kinds = 9;

// The text in the form in which texts, and by default ids, are compared (apps/kit/files/row_order.h): in NFC, without
// white space at its ends.
[[nodiscard]] std::string plain_text(std::string_view text);

// Returns true if the cell is empty or one of NA, N/A, #N/A, NaN, NULL, None, ?, - and form.missing, unless form.values
// contains the cell.
[[nodiscard]] bool is_missing(const TableCell& cell, const CellForm& form);
// The number in the cell, at most 1e30 in size. With `percent` the cell may end with %. Returns nothing if the cell has
// no number.
[[nodiscard]] std::optional<double> number_in(const TableCell& cell, const CellForm& form, bool percent = false);
[[nodiscard]] CellKind kind_of(const TableCell& cell, const CellForm& form);

// Whether the text is a code that a number would not preserve: 01067, 12E3, or more digits than a double can store.
[[nodiscard]] bool is_code(std::string_view text);

enum class NumberShape : std::uint8_t {
  short_whole,  // a whole number of at most three digits: 950
  one_group,    // up to three digits before the mark and three digits after the mark: 33.167
  plain,        // any number whose mark is not between thousands: 0.5, 1234, 2e3
};
[[nodiscard]] NumberShape shape_of(std::string_view text, char mark);

[[nodiscard]] std::string_view described(CellKind kind);
[[nodiscard]] std::string remedy(CellKind kind, std::string_view column);

// The text that identifies a category. A number becomes its shortest text ("1.0" and 1 become "1"), and true and false
// become lower case. A code stays as it is. Any other text becomes plain_text() of it.
[[nodiscard]] std::string category_of(const TableCell& cell, const CellForm& form);

}  // namespace sotto::apps::prepare
