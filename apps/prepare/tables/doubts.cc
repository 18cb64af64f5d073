#include "apps/prepare/tables/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "apps/kit/files/input_file.h"
#include "core/text/count.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::size_t digits_of_a_spreadsheet = 15;

struct Damage {
  std::size_t count = 0;
  std::size_t first = 0;

  void add(std::size_t row) {
    if (count++ == 0) first = row;
  }
};

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool has_lost_its_kind(std::string_view id) {
  const std::size_t mark = id.find_first_of(".,");
  return mark != std::string_view::npos && are_digits(id.substr(0, mark)) && mark + 1 < id.size() &&
         id.find_first_not_of('0', mark + 1) == std::string_view::npos;
}

bool has_exponent(std::string_view id) {
  const std::size_t mark = id.find_first_of("eE");
  if (mark == std::string_view::npos || mark + 2 >= id.size() || id[mark + 1] != '+') return false;
  std::string digits(id.substr(0, mark));
  std::replace(digits.begin(), digits.end(), ',', '.');
  return are_digits(id.substr(mark + 2)) && cell_number(digits).has_value();
}

bool ends_rounded(std::string_view id) {
  return id.size() > digits_of_a_spreadsheet &&
         id.find_first_not_of('0', digits_of_a_spreadsheet) == std::string_view::npos;
}

struct DigitIds {
  std::map<std::size_t, Damage> lengths;
  Damage rounded;
  std::size_t longer = 0;
  std::size_t count = 0;
  bool any_zero = false;

  void add(std::string_view id, std::size_t row) {
    ++count;
    lengths[id.size()].add(row);
    any_zero = any_zero || (id.size() > 1 && id.front() == '0');
    longer += id.size() > digits_of_a_spreadsheet ? 1 : 0;
    if (ends_rounded(id)) rounded.add(row);
  }

  // Reports no damage if the ids seem to count up from 1, because consecutive numbers naturally have different lengths.
  [[nodiscard]] Damage shorter() const {
    constexpr double nearly_all = 0.8;
    constexpr std::size_t least_length = 4;
    Damage result;
    const auto& [longest, whole] = *lengths.rbegin();
    if (longest < least_length || static_cast<double>(whole.count) < nearly_all * static_cast<double>(count)) {
      return result;
    }
    double possible = 1;
    for (std::size_t i = 0; i < longest; ++i) possible *= 10;
    if (!any_zero && static_cast<double>(count) > 0.4 * possible) return result;
    result.first = whole.first;
    for (const auto& [length, of_length] : lengths) {
      if (length == longest) continue;
      result.first = result.count == 0 ? of_length.first : std::min(result.first, of_length.first);
      result.count += of_length.count;
    }
    return result;
  }
};

struct CountedValue {
  double value;
  std::size_t count;
};

std::vector<CountedValue> counted_values(std::span<const double> numbers) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<CountedValue> counted;
  for (const double value : sorted) {
    if (counted.empty() || counted.back().value != value) counted.push_back({value, 0});
    ++counted.back().count;
  }
  return counted;
}

bool all_are(std::string_view digits, char digit) {
  return std::all_of(digits.begin(), digits.end(), [&](char c) { return c == digit; });
}

bool is_usual_sentinel(double value) {
  const double size = std::abs(value);
  for (const double end : {32767.0, 32768.0, 65535.0, 2147483647.0, 2147483648.0, 4294967295.0}) {
    if (size == end) return true;
  }
  if (value == -1 || value == -9) return true;
  if (size != std::floor(size) || size < 88 || size > 1e9) return false;
  const std::string digits = std::to_string(static_cast<long long>(size));
  const std::string_view before_last = std::string_view(digits).substr(0, digits.size() - 1);
  return all_are(digits, '8') || (all_are(before_last, '9') && digits.back() >= '7');
}

// `values` are sorted by their distance from the first value.
bool is_far(std::span<const CountedValue> values) {
  constexpr std::size_t enough_others = 3;
  const CountedValue& end = values.front();
  if (end.count < 2) return false;
  const auto gap_before = [&](std::size_t i) { return std::abs(values[i].value - end.value); };
  const auto range_from = [&](std::size_t i) { return std::abs(values.back().value - values[i].value); };
  if (end.value != 0 && values.size() > enough_others && gap_before(1) > 2 * range_from(1)) return true;
  if (!is_usual_sentinel(end.value)) return false;
  std::size_t next = 1;
  while (next < values.size() && is_usual_sentinel(values[next].value)) ++next;
  if (next + 1 >= values.size()) return false;
  const double size = std::abs(end.value);
  if (end.value < 0 && values[next].value >= 0) return size > 10 || range_from(next) >= 10;
  return gap_before(next) >= (size < 100 ? 0.5 : 0.1) * range_from(next);
}

constexpr double usually_clipped = 0.01;

double usual_part_of(const ColumnRecipe& column) {
  if (column.use == ColumnUse::number) return std::max(column.usual_part.value_or(0), usually_clipped);
  return column.usual_part.value_or(0);
}

std::size_t beyond(const ColumnNotes& notes) { return notes.unknown + notes.clipped; }

}  // namespace

std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column,
                                     std::span<const std::string_view> ids) {
  Damage fractions;
  Damage exponents;
  DigitIds digits;
  for (std::size_t r = 0; r < ids.size(); ++r) {
    if (has_lost_its_kind(ids[r])) fractions.add(r);
    if (has_exponent(ids[r])) exponents.add(r);
    if (are_digits(ids[r])) digits.add(ids[r], r);
  }
  std::vector<std::string> found;
  const auto say = [&](const Damage& damage, std::string_view what) {
    if (damage.count == 0) return;
    found.push_back(fmt::format("column '{}': {} {} (first in {}); export the ids as texts", table.columns()[id_column],
                                counted(damage.count, "id"), what, table.where(damage.first, id_column)));
  };
  say(fractions, "with .0 at the end, as a spreadsheet writes numbers");
  say(exponents, "with an exponent such as E+11, by which a spreadsheet drops digits");
  if (digits.count == 0) return found;
  if (digits.rounded.count > 1 && digits.rounded.count == digits.longer) {
    say(digits.rounded, "with only zeros behind 15 digits, which a spreadsheet puts there");
  }
  if (10 * digits.count >= 9 * ids.size()) {
    say(digits.shorter(), "with fewer digits than the others, as where a spreadsheet drops leading zeros");
  }
  return found;
}

std::vector<std::string> damaged_ids(const TextTable& table, const Columns& id_columns) {
  std::vector<std::string> found;
  for (const std::size_t column : id_columns) {
    const std::vector<std::string> ids = row_ids(table, {column});
    for (std::string& line : damaged_ids(table, column, views_of(ids))) found.push_back(std::move(line));
  }
  return found;
}

std::vector<FarValue> far_values(std::span<const double> numbers) {
  std::vector<CountedValue> left = counted_values(numbers);
  std::vector<FarValue> found;
  // If a column has more than `most` far values, they are a tail of the distribution and not sentinels.
  constexpr std::size_t most = 3;
  for (bool again = true; again && left.size() > 2 && found.size() < most;) {
    const std::vector<CountedValue> downwards(left.rbegin(), left.rend());
    again = false;
    if (is_far(downwards)) {
      found.push_back({left.back().value, left.back().count, false});
      left.pop_back();
      again = true;
    } else if (is_far(left)) {
      found.push_back({left.front().value, left.front().count, true});
      left.erase(left.begin());
      again = true;
    }
  }
  return found;
}

bool has_drifted(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows) {
  if (column.use == ColumnUse::categories && column.other && !column.usual_part) return false;
  const double part = usual_part_of(column);
  const auto met = static_cast<double>(beyond(notes));
  if (part == 0) return met > 0;
  // The limit is four standard deviations above the mean of a binomial count.
  const double values = static_cast<double>(rows) - static_cast<double>(notes.missing);
  return met > values * part + 4 * std::sqrt(values * part * (1 - part)) + 1;
}

std::string drift_text(const ColumnRecipe& column, const ColumnNotes& notes, std::size_t rows) {
  const std::size_t met = beyond(notes);
  std::string text = fmt::format("column '{}': {} of {} {} ", column.name, met, counted(rows - notes.missing, "value"),
                                 met == 1 ? "is" : "are");
  if (column.use == ColumnUse::number) {
    text += "clipped; is the column of another unit, or written otherwise, than in the recipe's table?";
  } else {
    text += "of no category that the recipe knows";
    if (column.other) text += " (\"other\")";
  }
  if (column.usual_part.value_or(0) > 0)
    text += fmt::format(" ({:.1f}% when the recipe was made)", 100 * *column.usual_part);
  return text;
}

std::vector<std::string> drift_texts(const Recipe& recipe, const RowNotes& notes) {
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < notes.columns.size(); ++c) {
    if (!has_drifted(recipe.columns[c], notes.columns[c], notes.rows)) continue;
    texts.push_back(drift_text(recipe.columns[c], notes.columns[c], notes.rows));
  }
  return texts;
}

}  // namespace sotto::apps::prepare
