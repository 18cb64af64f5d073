#include "apps/prepare/tables/damaged_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/kit/files/input_file.h"
#include "core/text/count.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::size_t digits_of_a_spreadsheet = 15;

struct Damage {
  std::size_t count = 0;
  std::size_t first = 0;  // row

  void add(std::size_t row) {
    if (count++ == 0) first = row;
  }
};

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// 123.0
bool has_lost_its_kind(std::string_view id) {
  const std::size_t mark = id.find_first_of(".,");
  return mark != std::string_view::npos && are_digits(id.substr(0, mark)) && mark + 1 < id.size() &&
         id.find_first_not_of('0', mark + 1) == std::string_view::npos;
}

// 1.23E+11, or 1,23E+11
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

// Ids of digits alone.
struct DigitIds {
  std::map<std::size_t, Damage> lengths;
  Damage rounded;
  std::size_t longer = 0;  // than a spreadsheet keeps
  std::size_t count = 0;
  bool any_zero = false;  // one begins with 0

  void add(std::string_view id, std::size_t row) {
    ++count;
    lengths[id.size()].add(row);
    any_zero = any_zero || (id.size() > 1 && id.front() == '0');
    longer += id.size() > digits_of_a_spreadsheet ? 1 : 0;
    if (ends_rounded(id)) rounded.add(row);
  }

  // Those that are shorter than nearly all, which are as long as any. Where numbers count from 1 on, nothing is lost.
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

std::vector<std::string> damaged_ids(const TextTable& table, std::size_t id_column) {
  std::vector<std::string_view> ids;
  ids.reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) ids.push_back(table.cell(r, id_column));
  return damaged_ids(table, id_column, ids);
}

}  // namespace sotto::apps::prepare
