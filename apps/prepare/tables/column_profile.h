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
  std::array<std::size_t, cell_kinds> cells{};
  std::array<std::size_t, cell_kinds> first_row{};
  std::vector<std::size_t> rows;
  std::vector<double> numbers;  // numbers of the rows in `rows`; empty if a cell is not a number
  std::map<std::string, std::size_t> missing_words;
  std::size_t codes = 0;      // cells for which is_code() holds, except those in `exponents`
  std::size_t exponents = 0;  // cells for which is_code() holds and that have an exponent, such as 12E3
  std::size_t wholes = 0;
  std::size_t short_wholes = 0;
  std::size_t one_groups = 0;
  std::size_t first_one_group = 0;
  std::size_t other_groups = 0;  // cells with the other decimal mark, which may separate thousands

  [[nodiscard]] std::size_t count(CellKind kind) const { return cells[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t first(CellKind kind) const { return first_row[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t missing() const { return count(CellKind::missing); }
  // If one cell is a code such as 01067, all cells of the column are codes. If a cell is like 12E3, all cells are codes
  // only if every other number of the column consists of digits.
  [[nodiscard]] bool are_codes() const {
    const bool has_codes = codes > 0 || (exponents > 0 && exponents + wholes == count(CellKind::number));
    return has_codes && count(CellKind::number) + count(CellKind::text) == rows.size();
  }
  [[nodiscard]] bool may_be_thousands() const {
    return one_groups > 0 && one_groups + short_wholes == count(CellKind::number);
  }
};

[[nodiscard]] ColumnProfile profile_column(const TextTable& table, std::size_t column, const CellForm& form,
                                           bool percent);

// The most frequent texts come first, and equally frequent texts are in alphabetical order.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> count_categories(const TextTable& table,
                                                                                std::size_t column,
                                                                                const CellForm& form);

struct NumberStatistics {
  double mean = 0;
  double deviation = 0;  // the sum of squares is divided by the count, not by the count - 1
  double median = 0;
  double robust_deviation = 0;  // distance between the quartiles / 1.349; for normal data, this is the deviation
  double least = 0;
  double largest = 0;
  std::size_t distinct = 0;
  std::size_t mode_count = 0;
  double largest_share = 0;  // the largest fraction of the variance that comes from one row
  bool whole = false;
};
// `numbers` must not be empty.
[[nodiscard]] NumberStatistics statistics_of(std::span<const double> numbers);

[[nodiscard]] bool has_name_of_id(std::string_view name);
[[nodiscard]] bool has_name_of_label(std::string_view name);
[[nodiscard]] bool looks_like_id(std::string_view name, const NumberStatistics& statistics, std::size_t count);
[[nodiscard]] bool looks_like_date(std::span<const double> numbers);

// How well a column by itself predicts the label. Let m be the fraction of rows with the most frequent label. Let a be
// the fraction of rows whose label is the most frequent one among the rows with similar values. The result is (a - m) /
// (1 - m), at most 1. `keys` are the column's values by row: numbers, or indices of categories.
[[nodiscard]] double label_revealed_by(std::span<const double> keys, std::span<const std::uint32_t> labels);

}  // namespace sotto::apps::prepare
