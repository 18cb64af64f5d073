#include "sotto/apps/kit/tables/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/program/about.h"

namespace sotto::apps {
namespace {

constexpr std::array<std::string_view, 14> missing_words{"",    "NA",   "N/A",  "n/a",  "na", "#N/A", "NaN",
                                                         "nan", "NULL", "null", "None", "?",  "-",    "--"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of(std::string_view text, std::string_view letters) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return letters.find(c) != std::string_view::npos; });
}

// The text with a point for its one comma; as it is where it has a point too, so that it is no number.
std::string with_point(std::string_view text) {
  std::string number(text);
  if (std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string_view::npos) {
    number[text.find(',')] = '.';
    return number;
  }
  return number + ',';
}

std::optional<double> decimal(std::string_view text, bool comma) {
  if (!comma || text.find_first_of(",.") == std::string_view::npos) return cell_number(text);
  return cell_number(with_point(text));
}

// How many digits stand at the front.
std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

// Three groups of digits between two equal marks, and after them nothing or a time.
bool is_date(std::string_view text) {
  std::array<std::size_t, 3> groups{};
  char mark = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = digits_at(text);
    text.remove_prefix(groups[i]);
    if (i == groups.size() - 1) break;
    if (text.empty() || std::string_view("-./").find(text.front()) == std::string_view::npos) return false;
    if (mark != 0 && text.front() != mark) return false;
    mark = text.front();
    text.remove_prefix(1);
  }
  const bool year_first = groups[0] == 4;
  const bool year_last = groups[2] == 2 || groups[2] == 4;
  const auto is_short = [](std::size_t digits) { return digits == 1 || digits == 2; };
  if (!is_short(groups[1]) || !(year_first ? is_short(groups[2]) : is_short(groups[0]) && year_last)) return false;
  return text.empty() || (is_of(text.substr(0, 1), "T ") && is_of(text.substr(1), "0123456789:.+-Z "));
}

// Groups of three digits behind a first one of up to three, and perhaps a decimal mark that is another.
bool is_grouped(std::string_view text) {
  if (is_of(text.substr(0, 1), "+-")) text.remove_prefix(std::min<std::size_t>(1, text.size()));
  std::size_t digits = digits_at(text);
  if (digits == 0 || digits > 3 || digits == text.size()) return false;
  char mark = 0;
  while (text.size() > digits) {
    const char next = text[digits];
    if (!is_of({&next, 1}, ",.' ")) return false;
    text.remove_prefix(digits + 1);
    digits = digits_at(text);
    if (mark != 0 && next != mark) return digits == text.size();
    if (digits != 3) return false;
    mark = next;
  }
  return true;
}

// What is written as a number and is none that a cell may be.
bool is_beyond(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return read.ec != std::errc::invalid_argument && read.ptr == text.data() + text.size();
}

CellKind kind_of_text(std::string_view text, const CellForm& form) {
  if (text.ends_with('%') && decimal(trim(text.substr(0, text.size() - 1)), form.decimal_comma)) {
    return CellKind::percentage;
  }
  if (is_date(text)) return CellKind::date;
  if (decimal(text, !form.decimal_comma)) return CellKind::decimal_comma;
  if (is_grouped(text)) return CellKind::grouped;
  if (is_beyond(text)) return CellKind::not_finite;
  return CellKind::text;
}

}  // namespace

bool is_missing(const TableCell& cell, const CellForm& form) {
  if (cell.is_null) return true;
  if (cell.number) return false;
  return std::find(missing_words.begin(), missing_words.end(), cell.text) != missing_words.end() ||
         std::find(form.missing.begin(), form.missing.end(), cell.text) != form.missing.end();
}

std::optional<double> number_in(const TableCell& cell, const CellForm& form, bool percent) {
  if (cell.is_null) return std::nullopt;
  if (cell.number) return std::abs(*cell.number) <= largest_cell ? cell.number : std::nullopt;
  std::string_view text = cell.text;
  if (percent && text.ends_with('%')) text = trim(text.substr(0, text.size() - 1));
  return decimal(text, form.decimal_comma);
}

CellKind kind_of(const TableCell& cell, const CellForm& form) {
  if (is_missing(cell, form)) return CellKind::missing;
  if (number_in(cell, form)) return CellKind::number;
  return cell.number ? CellKind::not_finite : kind_of_text(cell.text, form);
}

std::string_view described(CellKind kind) {
  switch (kind) {
    case CellKind::missing:
      return "no value";
    case CellKind::number:
      return "a number";
    case CellKind::percentage:
      return "a percentage";
    case CellKind::decimal_comma:
      return "a number with the other decimal mark";
    case CellKind::grouped:
      return "a number with marks between its thousands";
    case CellKind::not_finite:
      return "a number that is infinite or larger in size than 1e30";
    case CellKind::date:
      return "a date";
    case CellKind::text:
      break;
  }
  return "a text";
}

std::string remedy(CellKind kind, std::string_view name) {
  const std::string column = shell_quoted(std::string(name));
  switch (kind) {
    case CellKind::percentage:
      return fmt::format("--percent {} reads it", column);
    case CellKind::decimal_comma:
      return "--decimal-comma reads commas as decimal marks, and points are read without it";
    case CellKind::grouped:
      return "save the table without such marks";
    case CellKind::not_finite:
      return fmt::format("mend it, or leave the column out with --drop {}", column);
    case CellKind::date:
      return fmt::format("make a number of it, as the days since a fixed date, or leave it out with --drop {}", column);
    default:
      return fmt::format(
          "--one-hot {0} makes categories of the column, --missing WORD names a word for missing values, "
          "--drop {0} leaves it out",
          column);
  }
}

std::string category_of(const TableCell& cell, const CellForm& form) {
  if (const auto number = number_in(cell, form)) return fmt::format("{}", *number == 0 ? 0.0 : *number);
  std::string text(cell.text);
  std::string lower = text;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower == "true" || lower == "false" ? lower : text;
}

}  // namespace sotto::apps
