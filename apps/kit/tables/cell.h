// A cell of a company's table, whether a CSV or a JSON object brought it, and what kind of thing it holds.
//
// A message describes a cell by its kind and never shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

struct TableCell {
  std::string_view text;         // as it stood there; not of a number of JSON
  std::optional<double> number;  // of JSON, finite
  bool is_null = false;          // JSON's
};

// How the cells of a table are meant, the same for all of its columns.
struct CellForm {
  bool decimal_comma = false;        // 1,5 is one and a half
  std::vector<std::string> missing;  // further texts that stand for a missing value
};

enum class CellKind : std::uint8_t {
  missing,
  number,
  percentage,     // 12%
  decimal_comma,  // 1,5, or 1.5 where commas are decimal
  grouped,        // 1,234,567 or 1.234,5
  not_finite,     // inf, or above 1e30
  date,           // 2026-11-23, 23.11.2026, 11/23/2026, with or without a time
  text,
};
inline constexpr std::size_t cell_kinds = 8;

// Empty, NA, N/A, #N/A, NaN, NULL, None, ?, - or one of form.missing.
[[nodiscard]] bool is_missing(const TableCell& cell, const CellForm& form);
// The number in the cell, at most 1e30 in size; with `percent` one that may end with %. Nothing where it holds none.
[[nodiscard]] std::optional<double> number_in(const TableCell& cell, const CellForm& form, bool percent = false);
[[nodiscard]] CellKind kind_of(const TableCell& cell, const CellForm& form);

// "a text", for a message.
[[nodiscard]] std::string_view described(CellKind kind);
// What to do where a number is expected in that column: "--one-hot plan makes categories of it".
[[nodiscard]] std::string remedy(CellKind kind, std::string_view column);

// The text that a category goes by: numbers in their shortest form ("1.0" and 1 are "1"), true and false in lower case.
[[nodiscard]] std::string category_of(const TableCell& cell, const CellForm& form);

}  // namespace sotto::apps
