// The content of one column of a table: kinds of cells, numbers, texts. Also what the column looks like.
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
  std::array<std::size_t, cell_kinds> first_row{};   // the first row of each kind, if there is one
  std::vector<std::size_t> rows;                     // rows whose cell is not missing, ascending
  std::vector<double> numbers;                       // numbers of these rows if all are numbers; otherwise empty
  std::map<std::string, std::size_t> missing_words;  // cells that are missing, by their text
  std::size_t codes = 0;                             // cells for which is_code() holds, except those counted next
  std::size_t exponents = 0;                         // such cells with an exponent, as 12E3
  std::size_t wholes = 0;                            // numbers that consist only of digits
  std::size_t short_wholes = 0;                      // numbers of this shape (shape_of())
  std::size_t one_groups = 0;                        // numbers of this shape
  std::size_t first_one_group = 0;                   // row
  std::size_t other_groups = 0;  // numbers with the other decimal mark, which may be between thousands

  [[nodiscard]] std::size_t count(CellKind kind) const { return cells[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t first(CellKind kind) const { return first_row[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t missing() const { return count(CellKind::missing); }
  // Whether the cells are codes. With numbers in the column, 01067 makes it codes. 12E3 makes it codes if the other
  // numbers are only digits. With texts in the column, both do.
  [[nodiscard]] bool are_codes() const {
    const bool has_codes = codes > 0 || (exponents > 0 && exponents + wholes == count(CellKind::number));
    return has_codes && count(CellKind::number) + count(CellKind::text) == rows.size();
  }
  // Whether the decimal mark of the numbers may be between thousands. Then each number with the mark has three digits
  // after it, and no number from 1,000 on is written in another way.
  [[nodiscard]] bool may_be_thousands() const {
    return one_groups > 0 && one_groups + short_wholes == count(CellKind::number);
  }
};

// With `percent` a cell may end with %, and is then a number.
[[nodiscard]] ColumnProfile profile_column(const TextTable& table, std::size_t column, const CellForm& form,
                                           bool percent);

// The texts of categories and how often each occurs. The most frequent come first, equally frequent ones in
// alphabetical order.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> count_categories(const TextTable& table,
                                                                                std::size_t column,
                                                                                const CellForm& form);

struct NumberStatistics {
  double mean = 0;
  double deviation = 0;  // divided by the count
  double median = 0;
  double robust_deviation = 0;  // the distance of the quartiles / 1.349, which is the deviation for normal numbers
  double least = 0;
  double largest = 0;
  std::size_t distinct = 0;
  std::size_t mode_count = 0;  // how often the most frequent value occurs
  double largest_share = 0;    // the largest part of the variance that comes from one row
  bool whole = false;          // all numbers are whole
};
// Requires at least one number.
[[nodiscard]] NumberStatistics statistics_of(std::span<const double> numbers);

// Whether the numbers of a column, or its name, look like something that is not a feature.
[[nodiscard]] bool has_name_of_id(std::string_view name);
[[nodiscard]] bool has_name_of_label(std::string_view name);
[[nodiscard]] bool looks_like_id(std::string_view name, const NumberStatistics& statistics, std::size_t count);
// Seconds or milliseconds since 1970, or 20261123.
[[nodiscard]] bool looks_like_date(std::span<const double> numbers);

// How well a column by itself predicts the label, at most 1: (a - m) / (1 - m). a is the part of the rows whose label
// is the most frequent one among rows of like values. m is the part of the most frequent label of all. `keys` are the
// column's values by row: numbers, or the numbers of categories.
[[nodiscard]] double label_told_by(std::span<const double> keys, std::span<const std::uint32_t> labels);

}  // namespace sotto::apps::prepare
