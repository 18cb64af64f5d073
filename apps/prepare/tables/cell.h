// A cell of a company's table, from a CSV or a JSON object, and the kind of its content.
//
// A message describes a cell by the kind of its content and never shows the content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps::prepare {

struct TableCell {
  std::string_view text;         // text as written; empty for a JSON number
  std::optional<double> number;  // the value of a JSON number, which is finite
  bool is_null = false;          // whether the cell is null in a JSON object
};

// How the cells of a table, or of one column of a table, are read. A word that is a number matches all cells with that
// number: the word -999 also matches the cell -999.0.
struct CellForm {
  bool decimal_comma = false;         // whether 1,5 is one and a half
  std::vector<std::string> missing;   // additional words for a missing value
  std::vector<std::string> values{};  // words that are values, although other tables use them for missing values
  // Whether the rules of recipes of version 1 apply: texts are compared byte by byte, codes are numbers, and a JSON
  // number matches no word.
  bool first_version = false;
};

enum class CellKind : std::uint8_t {
  missing,
  number,
  percentage,     // 12%
  decimal_comma,  // 1,5, or 1.5 where commas are decimal
  grouped,        // 1,234,567 or 1.234,5, also with non-breaking blanks
  currency,       // a number with a currency mark: $12, 7,50 EUR
  not_finite,     // inf, or above 1e30
  date,           // 2026-11-23, 23.11.2026, 11/23/2026, with or without a time
  text,
};
inline constexpr std::size_t cell_kinds = 9;

// The text in the form in which texts, and by default ids, are compared (apps/kit/files/row_order.h): in NFC, without
// white space at its ends.
[[nodiscard]] std::string plain_text(std::string_view text);

// Whether the cell is empty, NA, N/A, #N/A, NaN, NULL, None, ?, - or in form.missing, and not in form.values.
[[nodiscard]] bool is_missing(const TableCell& cell, const CellForm& form);
// The number in the cell, at most 1e30 in size. With `percent` the cell may end with %. Returns nothing if the cell has
// no number.
[[nodiscard]] std::optional<double> number_in(const TableCell& cell, const CellForm& form, bool percent = false);
[[nodiscard]] CellKind kind_of(const TableCell& cell, const CellForm& form);

// Whether the text is a code that a number would not preserve: 01067, 12E3, or more digits than a double can store.
[[nodiscard]] bool is_code(std::string_view text);

// The form of a written number, which tells whether the mark of the number may be between thousands.
enum class NumberShape : std::uint8_t {
  short_whole,  // a whole number of at most three digits: 950
  one_group,    // up to three digits before the mark and three digits after the mark: 33.167
  plain,        // any number whose mark is not between thousands: 0.5, 1234, 2e3
};
// `mark` is the mark that is read as the decimal mark.
[[nodiscard]] NumberShape shape_of(std::string_view text, char mark);

// A description such as "a text", for a message.
[[nodiscard]] std::string_view described(CellKind kind);
// The advice to a user if a number is expected in the column, such as "--one-hot plan makes categories of it".
[[nodiscard]] std::string remedy(CellKind kind, std::string_view column);

// The text that identifies a category. Numbers are in their shortest form ("1.0" and 1 are "1"), codes are unchanged,
// true and false are in lower case, and other texts are in the form of plain_text().
[[nodiscard]] std::string category_of(const TableCell& cell, const CellForm& form);

}  // namespace sotto::apps::prepare
