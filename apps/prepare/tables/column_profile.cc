#include "apps/prepare/tables/column_profile.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sotto::apps::prepare {
namespace {

TableCell text_cell(const TextTable& table, std::size_t row, std::size_t column) {
  TableCell cell;
  cell.text = table.cell(row, column);
  return cell;
}

double quantile_of(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void count_values(const std::vector<double>& sorted, NumberStatistics& statistics) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool fresh = i == 0 || sorted[i] != sorted[i - 1];
    statistics.distinct += fresh ? 1 : 0;
    run = fresh ? 1 : run + 1;
    statistics.mode_count = std::max(statistics.mode_count, run);
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_calendar_day(double number) {
  if (!(number >= 19'000'101 && number <= 21'001'231) || number != std::floor(number)) return false;
  const auto day = static_cast<unsigned>(number);
  const unsigned month = day / 100 % 100;
  return month >= 1 && month <= 12 && day % 100 >= 1 && day % 100 <= 31;
}

void note_code(std::string_view text, ColumnProfile& profile) {
  const bool has_exponent_mark = text.find_first_of("eE") != std::string_view::npos;
  if (is_code(text)) {
    ++(has_exponent_mark ? profile.exponents : profile.codes);
  } else if (text.find_first_not_of("0123456789") == std::string_view::npos) {
    ++profile.wholes;
  }
}

void note_shape(const TableCell& cell, std::size_t row, CellKind kind, const CellForm& form, ColumnProfile& profile) {
  const char mark = form.decimal_comma ? ',' : '.';
  if (kind == CellKind::decimal_comma) {
    const NumberShape other = shape_of(cell.text, form.decimal_comma ? '.' : ',');
    profile.other_groups += other == NumberShape::one_group ? 1 : 0;
  }
  if (kind != CellKind::number) return;
  const NumberShape shape = shape_of(cell.text, mark);
  profile.short_wholes += shape == NumberShape::short_whole ? 1 : 0;
  if (shape == NumberShape::one_group && profile.one_groups++ == 0) profile.first_one_group = row;
}

}  // namespace

ColumnProfile profile_column(const TextTable& table, std::size_t column, const CellForm& form, bool percent) {
  ColumnProfile profile;
  bool all_numbers = true;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::string text = plain_text(table.cell(r, column));
    TableCell cell;
    cell.text = text;
    const bool missing = is_missing(cell, form);
    const auto number = missing ? std::nullopt : number_in(cell, form, percent);
    const CellKind kind = missing ? CellKind::missing : number ? CellKind::number : kind_of(cell, form);
    const auto k = static_cast<std::size_t>(kind);
    if (profile.cells[k]++ == 0) profile.first_row[k] = r;
    if (missing) {
      ++profile.missing_words[text];
      continue;
    }
    note_code(cell.text, profile);
    note_shape(cell, r, kind, form, profile);
    profile.rows.push_back(r);
    all_numbers = all_numbers && number.has_value();
    if (all_numbers) profile.numbers.push_back(*number);
  }
  if (!all_numbers) profile.numbers.clear();
  return profile;
}

std::vector<std::pair<std::string, std::size_t>> count_categories(const TextTable& table, std::size_t column,
                                                                  const CellForm& form) {
  std::unordered_map<std::string, std::size_t> counts;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const TableCell cell = text_cell(table, r, column);
    if (!is_missing(cell, form)) ++counts[category_of(cell, form)];
  }
  std::vector<std::pair<std::string, std::size_t>> categories(counts.begin(), counts.end());
  std::sort(categories.begin(), categories.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return categories;
}

NumberStatistics statistics_of(std::span<const double> numbers) {
  NumberStatistics result;
  const auto count = static_cast<double>(numbers.size());
  for (const double number : numbers) result.mean += number / count;
  double squares = 0;
  double largest = 0;
  for (const double number : numbers) {
    const double square = (number - result.mean) * (number - result.mean);
    squares += square;
    largest = std::max(largest, square);
  }
  result.deviation = std::sqrt(squares / count);
  result.largest_share = squares > 0 ? largest / squares : 0;
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  result.least = sorted.front();
  result.largest = sorted.back();
  result.median = quantile_of(sorted, 0.5);
  constexpr double quartiles_of_normal = 1.3489795003921634;
  result.robust_deviation = (quantile_of(sorted, 0.75) - quantile_of(sorted, 0.25)) / quartiles_of_normal;
  result.whole = std::all_of(sorted.begin(), sorted.end(), [](double x) { return x == std::floor(x); });
  count_values(sorted, result);
  return result;
}

bool has_name_of_id(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const std::string_view whole : {"id", "ids", "key", "uuid", "guid", "index", "email", "e-mail", "iban", "ssn"}) {
    if (lower == whole) return true;
  }
  for (const std::string_view end :
       {"_id", "-id", " id", "_key", "_uuid", "_no", "_nr", "_number", "_email", " number"}) {
    if (lower.ends_with(end)) return true;
  }
  return (name.ends_with("Id") || name.ends_with("ID")) && name.size() > 2;
}

bool has_name_of_label(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const std::string_view word : {"label", "target", "reward", "outcome", "arm", "best_arm", "class", "response"}) {
    if (lower == word) return true;
  }
  return lower.starts_with("reward_") || lower.ends_with("_label");
}

bool looks_like_id(std::string_view name, const NumberStatistics& statistics, std::size_t count) {
  constexpr std::size_t enough = 20;
  if (count < enough || !statistics.whole || statistics.distinct != count) return false;
  const bool consecutive = statistics.largest - statistics.least == static_cast<double>(count - 1);
  return consecutive || has_name_of_id(name);
}

bool looks_like_date(std::span<const double> numbers) {
  const auto all = [&](const auto& holds) { return std::all_of(numbers.begin(), numbers.end(), holds); };
  const auto between = [&](double least, double most) {
    return all([=](double x) { return x >= least && x <= most && x == std::floor(x); });
  };
  // The two ranges are the times from 2001 to 2036, in seconds and in milliseconds since 1970.
  return all(is_calendar_day) || between(1e9, 2.1e9) || between(1e12, 2.1e12);
}

double label_revealed_by(std::span<const double> keys, std::span<const std::uint32_t> labels) {
  const std::size_t rows = keys.size();
  std::vector<std::size_t> order(rows);
  for (std::size_t r = 0; r < rows; ++r) order[r] = r;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  constexpr std::size_t most_bins = 256;
  constexpr std::size_t least_bin = 5;
  const std::size_t bin = std::max(least_bin, rows / most_bins);
  std::unordered_map<std::uint32_t, std::size_t> all;
  std::unordered_map<std::uint32_t, std::size_t> here;
  const auto most_of = [](const auto& counts) {
    std::size_t most = 0;
    for (const auto& [label, count] : counts) most = std::max(most, count);
    return most;
  };
  std::size_t explained = 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    ++all[labels[order[i]]];
    ++here[labels[order[i]]];
    ++size;
    const bool last = i + 1 == rows;
    if (!last && (size < bin || keys[order[i + 1]] == keys[order[i]])) continue;
    explained += most_of(here);
    here.clear();
    size = 0;
  }
  const auto whole = static_cast<double>(rows);
  const double by_chance = static_cast<double>(most_of(all)) / whole;
  return by_chance < 1 ? (static_cast<double>(explained) / whole - by_chance) / (1 - by_chance) : 0;
}

}  // namespace sotto::apps::prepare
