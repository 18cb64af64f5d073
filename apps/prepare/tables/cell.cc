#include "apps/prepare/tables/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/program/about.h"
#include "apps/kit/settings/toml_text.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::array<std::string_view, 14> missing_words{"",    "NA",   "N/A",  "n/a",  "na", "#N/A", "NaN",
                                                         "nan", "NULL", "null", "None", "?",  "-",    "--"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of(std::string_view text, std::string_view letters) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return letters.find(c) != std::string_view::npos; });
}

// Turns 1,5 into 1.5. Adds a comma to all other texts, so that they are not numbers.
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

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

std::string_view compared(std::string_view text, const CellForm& form, std::string& room) {
  if (form.first_version || is_plain(text)) return text;
  room = plain_text(text);
  return room;
}

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

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

std::string with_plain_marks(std::string_view text) {
  std::string result(text);
  for (const auto& [written, mark] : std::array<std::pair<std::string_view, char>, 5>{
           {{"\u00a0", ' '}, {"\u202f", ' '}, {"\u2009", ' '}, {"\u2007", ' '}, {"\u2019", '\''}}}) {
    for (std::size_t at = result.find(written); at != std::string::npos; at = result.find(written, at + 1)) {
      result.replace(at, written.size(), 1, mark);
    }
  }
  return result;
}

constexpr std::array<std::string_view, 38> marks_of_money{
    "US$",    "R$",     "$",      "\u20ac", "\u00a3",  "\u00a5",  "\u20b9", "\u20bd", "\u20ba", "\u20a9",
    "\u20aa", "\u20ab", "\u0e3f", "\u20b4", "z\u0142", "K\u010d", "kr",     "EUR",    "USD",    "GBP",
    "CHF",    "JPY",    "CNY",    "INR",    "SEK",     "NOK",     "DKK",    "PLN",    "CZK",    "HUF",
    "RON",    "AUD",    "CAD",    "NZD",    "BRL",     "TRY",     "RUB",    "ZAR"};

std::optional<std::string> without_money(std::string_view text) {
  std::string sign;
  if (text.starts_with('-')) {
    sign = '-';
    text = trim(text.substr(1));
  }
  for (const std::string_view mark : marks_of_money) {
    if (text.starts_with(mark)) return sign + std::string(trim(text.substr(mark.size())));
    if (text.ends_with(mark)) return sign + std::string(trim(text.substr(0, text.size() - mark.size())));
  }
  return std::nullopt;
}

bool is_money(std::string_view text) {
  const auto amount = without_money(text);
  return amount && (decimal(*amount, false) || decimal(*amount, true) || is_grouped(*amount));
}

bool is_beyond(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return read.ec != std::errc::invalid_argument && read.ptr == text.data() + text.size();
}

CellKind kind_of_text(std::string_view written, const CellForm& form) {
  const std::string text = with_plain_marks(written);
  if (text.ends_with('%') && decimal(trim(std::string_view(text).substr(0, text.size() - 1)), form.decimal_comma)) {
    return CellKind::percentage;
  }
  if (is_date(text)) return CellKind::date;
  if (decimal(text, !form.decimal_comma)) return CellKind::decimal_comma;
  if (is_grouped(text)) return CellKind::grouped;
  if (is_money(text)) return CellKind::currency;
  if (is_beyond(text)) return CellKind::not_finite;
  return CellKind::text;
}

bool has_word(const std::vector<std::string>& words, const TableCell& cell, std::string_view text,
              const CellForm& form) {
  if (words.empty() || (cell.number && form.first_version)) return false;
  if (!cell.number && std::find(words.begin(), words.end(), text) != words.end()) return true;
  if (form.first_version || (!cell.number && is_code(text))) return false;
  const auto number = cell.number ? cell.number : decimal(text, form.decimal_comma);
  return number && std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return !is_code(word) && decimal(word, form.decimal_comma) == number;
         });
}

}  // namespace

std::string plain_text(std::string_view text) {
  // A text from a command line may be invalid UTF-8.
  return is_plain(text) || !is_utf8(text) ? std::string(trim(text)) : comparable_id(text, {});
}

bool is_missing(const TableCell& cell, const CellForm& form) {
  if (cell.is_null) return true;
  std::string room;
  const std::string_view text = compared(cell.text, form, room);
  if (has_word(form.values, cell, text, form)) return false;
  if (has_word(form.missing, cell, text, form)) return true;
  return !cell.number && std::find(missing_words.begin(), missing_words.end(), text) != missing_words.end();
}

std::optional<double> number_in(const TableCell& cell, const CellForm& form, bool percent) {
  if (cell.is_null) return std::nullopt;
  if (cell.number) return std::abs(*cell.number) <= largest_cell ? cell.number : std::nullopt;
  std::string room;
  std::string_view text = compared(cell.text, form, room);
  if (percent && text.ends_with('%')) {
    text = text.substr(0, text.size() - 1);
    if (!form.first_version) room = with_plain_marks(text);
    text = trim(form.first_version ? text : std::string_view(room));
  }
  return decimal(text, form.decimal_comma);
}

CellKind kind_of(const TableCell& cell, const CellForm& form) {
  if (is_missing(cell, form)) return CellKind::missing;
  if (number_in(cell, form)) return CellKind::number;
  if (cell.number) return CellKind::not_finite;
  std::string room;
  return kind_of_text(compared(cell.text, form, room), form);
}

bool is_code(std::string_view text) {
  constexpr std::size_t most_digits = 15;
  const std::size_t digits = digits_at(text);
  if (digits == 0) return false;
  if (digits == text.size()) return digits > most_digits || (digits > 1 && text.front() == '0');
  if (text[digits] != 'e' && text[digits] != 'E') return false;
  const std::string_view exponent = text.substr(digits + 1);
  return !exponent.empty() && digits_at(exponent) == exponent.size();
}

NumberShape shape_of(std::string_view text, char mark) {
  constexpr std::size_t group = 3;
  if (is_of(text.substr(0, 1), "+-")) text.remove_prefix(std::min<std::size_t>(1, text.size()));
  const std::size_t digits = digits_at(text);
  if (digits == 0 || digits > group) return NumberShape::plain;
  if (digits == text.size()) return NumberShape::short_whole;
  const std::string_view behind = text.substr(digits + 1);
  const bool is_group = text.front() != '0' && text[digits] == mark && behind.size() == group;
  return is_group && digits_at(behind) == group ? NumberShape::one_group : NumberShape::plain;
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
    case CellKind::currency:
      return "a number with a mark of money";
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
      return fmt::format("--percent {0} reads it; --one-hot {0} makes categories of it", column);
    case CellKind::decimal_comma:
      return "--decimal-comma reads commas as decimal marks, and points are read without it";
    case CellKind::grouped:
      return fmt::format("save the table without such marks; --one-hot {} makes categories of it", column);
    case CellKind::currency:
      return fmt::format(
          "save the table with the numbers alone, without such marks; --one-hot {} makes categories of it", column);
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
  std::string room;
  std::string text(compared(cell.text, form, room));
  const bool is_text = !form.first_version && !cell.number && is_code(text);
  const auto number = is_text ? std::nullopt : number_in(cell, form);
  if (number) return fmt::format("{}", *number == 0 ? 0.0 : *number);
  std::string lower = text;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower == "true" || lower == "false" ? lower : text;
}

}  // namespace sotto::apps::prepare
