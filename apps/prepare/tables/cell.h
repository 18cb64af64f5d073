// A cell of a company's table, from a CSV or a JSON object, and the kind of its content.
//
// A message describes a cell by its kind and never shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps::prepare {

struct TableCell {
  std::string_view text;         // text as written; empty for a number of JSON
  std::optional<double> number;  // a finite number of JSON
  bool is_null = false;          // whether the cell is null in JSON
};

// How the cells of a table, or of one of its columns, are meant. A word that is a number means all cells with that
// number: the word -999 also means -999.0.
struct CellForm {
  bool decimal_comma = false;         // 1,5 is one and a half
  std::vector<std::string> missing;   // additional words for a missing value
  std::vector<std::string> values{};  // words that are values, although other tables use them for missing values
  // The rules of recipes of version 1: texts are compared byte by byte, codes are numbers, and a number of JSON is
  // never a word.
  bool first_version = false;
};

enum class CellKind : std::uint8_t {
  missing,
  number,
  percentage,     // 12%
  decimal_comma,  // 1,5, or 1.5 where commas are decimal
  grouped,        // 1,234,567 or 1.234,5, also with non-breaking blanks
  currency,       // such a number with a mark of money: $12, 7,50 EUR
  not_finite,     // inf, or above 1e30
  date,           // 2026-11-23, 23.11.2026, 11/23/2026, with or without a time
  text,
};
inline constexpr std::size_t cell_kinds = 9;

// The text in the form in which it is compared, like ids by default (apps/kit/files/row_order.h): in NFC, without white
// space at its ends.
[[nodiscard]] std::string plain_text(std::string_view text);

// Whether the cell is empty, NA, N/A, #N/A, NaN, NULL, None, ?, - or in form.missing, and not in form.values.
[[nodiscard]] bool is_missing(const TableCell& cell, const CellForm& form);
// The number in the cell, at most 1e30 in size. With `percent` it may end with %. Nothing if the cell has no number.
[[nodiscard]] std::optional<double> number_in(const TableCell& cell, const CellForm& form, bool percent = false);
[[nodiscard]] CellKind kind_of(const TableCell& cell, const CellForm& form);

// Whether the text is a code that a number would not preserve: 01067, 12E3, or more digits than a double keeps.
[[nodiscard]] bool is_code(std::string_view text);

// The form of a number, to tell whether its mark may be between thousands.
enum class NumberShape : std::uint8_t {
  short_whole,  // 950: at most three digits
  one_group,    // 33.167: up to three digits before the mark, and three after it
  plain,        // 0.5, 1234, 2e3: its mark is not between thousands
};
// `mark` is the decimal mark.
[[nodiscard]] NumberShape shape_of(std::string_view text, char mark);

// A description such as "a text", for a message.
[[nodiscard]] std::string_view described(CellKind kind);
// The advice if a number is expected in that column: "--one-hot plan makes categories of it".
[[nodiscard]] std::string remedy(CellKind kind, std::string_view column);

// The text that identifies a category. Numbers are in their shortest form ("1.0" and 1 are "1"), codes are unchanged,
// true and false are in lower case, and other texts are in the form of plain_text().
[[nodiscard]] std::string category_of(const TableCell& cell, const CellForm& form);

}  // namespace sotto::apps::prepare
