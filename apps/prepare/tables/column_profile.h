// What is in one column of a table: kinds of cells, numbers, texts; and what it looks like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

struct ColumnProfile {
  std::array<std::size_t, cell_kinds> cells{};       // of each kind
  std::array<std::size_t, cell_kinds> first_row{};   // that has it, where there is one
  std::vector<std::size_t> rows;                     // that are not missing, ascending
  std::vector<double> numbers;                       // of those, where all of them are numbers; else empty
  std::map<std::string, std::size_t> missing_words;  // cells that are missing, by their text
  std::size_t codes = 0;                             // cells that is_code() has, but for the next ones
  std::size_t exponents = 0;                         // likewise, as 12E3
  std::size_t wholes = 0;                            // numbers of digits alone
  std::size_t short_wholes = 0;                      // of the numbers, as shape_of() has them
  std::size_t one_groups = 0;                        // likewise
  std::size_t first_one_group = 0;                   // row
  std::size_t other_groups = 0;  // numbers with the other decimal mark that may be one between thousands

  [[nodiscard]] std::size_t count(CellKind kind) const { return cells[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t first(CellKind kind) const { return first_row[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t missing() const { return count(CellKind::missing); }
  // Whether the cells are codes: 01067 is one beside any number, 12E3 where the others are digits, and both beside
  // texts.
  [[nodiscard]] bool are_codes() const {
    const bool has_codes = codes > 0 || (exponents > 0 && exponents + wholes == count(CellKind::number));
    return has_codes && count(CellKind::number) + count(CellKind::text) == rows.size();
  }
  // Whether the decimal mark of the numbers may be one between thousands: each that has it has three digits behind it,
  // and none is written otherwise from 1,000 on.
  [[nodiscard]] bool may_be_thousands() const {
    return one_groups > 0 && one_groups + short_wholes == count(CellKind::number);
  }
};

// With `percent` a cell may end with %, and is a number.
[[nodiscard]] ColumnProfile profile_column(const TextTable& table, std::size_t column, const CellForm& form,
                                           bool percent);

// The texts of categories and how often each comes, the most frequent first, of equally frequent ones by the alphabet.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> count_categories(const TextTable& table,
                                                                                std::size_t column,
                                                                                const CellForm& form);

struct NumberStatistics {
  double mean = 0;
  double deviation = 0;  // divided by the count
  double median = 0;
  double robust_deviation = 0;  // the distance of the quartiles / 1.349, which is the deviation of a normal one
  double least = 0;
  double largest = 0;
  std::size_t distinct = 0;
  std::size_t mode_count = 0;  // how often the most frequent value comes
  double largest_share = 0;    // of the variance that one row has
  bool whole = false;          // all are
};
// Of one number at least.
[[nodiscard]] NumberStatistics statistics_of(std::span<const double> numbers);

// Whether numbers, or a column of that name, look like what is no feature.
[[nodiscard]] bool has_name_of_id(std::string_view name);
[[nodiscard]] bool has_name_of_label(std::string_view name);
[[nodiscard]] bool looks_like_id(std::string_view name, const NumberStatistics& statistics, std::size_t count);
// Seconds or milliseconds since 1970, or 20261123.
[[nodiscard]] bool looks_like_date(std::span<const double> numbers);

// How well a column alone tells the label, of 1 at most: (a - m) / (1 - m), where a is the part of the rows whose label
// is the most frequent one among rows of like values, and m the part of the most frequent label of all. `keys` are the
// column's values by row: numbers, or the numbers of categories.
[[nodiscard]] double label_told_by(std::span<const double> keys, std::span<const std::uint32_t> labels);

}  // namespace sotto::apps::prepare
