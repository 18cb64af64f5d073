// A cell of a company's table, whether a CSV or a JSON object brought it, and what kind of thing it holds.
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
  std::string_view text;         // as it stood there; not of a number of JSON
  std::optional<double> number;  // of JSON, finite
  bool is_null = false;          // JSON's
};

// How the cells of a table, or of one of its columns, are meant. A word that is a number stands for all cells that are
// that number: -999 for -999.0 as well.
struct CellForm {
  bool decimal_comma = false;         // 1,5 is one and a half
  std::vector<std::string> missing;   // further words that stand for a missing value
  std::vector<std::string> values{};  // words that stand for themselves, although others have them for missing values
  // As recipes of version 1 have it: texts are compared byte by byte, codes are numbers, a number of JSON is no word.
  bool first_version = false;
};

enum class CellKind : std::uint8_t {
  missing,
  number,
  percentage,     // 12%
  decimal_comma,  // 1,5, or 1.5 where commas are decimal
  grouped,        // 1,234,567 or 1.234,5, also with blanks that do not break
  currency,       // such a number with a mark of money: $12, 7,50 EUR
  not_finite,     // inf, or above 1e30
  date,           // 2026-11-23, 23.11.2026, 11/23/2026, with or without a time
  text,
};
inline constexpr std::size_t cell_kinds = 9;

// The text as it is compared, like ids by default (apps/kit/files/row_order.h): in NFC, without white space at its
// ends.
[[nodiscard]] std::string plain_text(std::string_view text);

// Empty, NA, N/A, #N/A, NaN, NULL, None, ?, - or one of form.missing, and none of form.values.
[[nodiscard]] bool is_missing(const TableCell& cell, const CellForm& form);
// The number in the cell, at most 1e30 in size; with `percent` one that may end with %. Nothing where it holds none.
[[nodiscard]] std::optional<double> number_in(const TableCell& cell, const CellForm& form, bool percent = false);
[[nodiscard]] CellKind kind_of(const TableCell& cell, const CellForm& form);

// Whether it is a code that would be another as a number: 01067, 12E3, or more digits than a double keeps.
[[nodiscard]] bool is_code(std::string_view text);

// How a number is written, as far as that says whether its mark may be one between thousands.
enum class NumberShape : std::uint8_t {
  short_whole,  // 950: at most three digits
  one_group,    // 33.167: as many before the mark, and three behind it
  plain,        // 0.5, 1234, 2e3: there is no mark between its thousands
};
// `mark` is the decimal mark.
[[nodiscard]] NumberShape shape_of(std::string_view text, char mark);

// "a text", for a message.
[[nodiscard]] std::string_view described(CellKind kind);
// What to do where a number is expected in that column: "--one-hot plan makes categories of it".
[[nodiscard]] std::string remedy(CellKind kind, std::string_view column);

// The text that a category goes by: numbers in their shortest form ("1.0" and 1 are "1"), codes as they are, true and
// false in lower case, other texts as plain_text() has them.
[[nodiscard]] std::string category_of(const TableCell& cell, const CellForm& form);

}  // namespace sotto::apps::prepare
