// The content of one column of a table: kinds of cells, numbers and texts. Other functions in this file guess what a
// column means.
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
  std::array<std::size_t, cell_kinds> cells{};       // number of cells of each kind
  std::array<std::size_t, cell_kinds> first_row{};   // the first row of each kind, if there is one
  std::vector<std::size_t> rows;                     // indices of the rows whose cell is not missing, ascending
  std::vector<double> numbers;                       // numbers of the rows in `rows`; empty if a cell is not a number
  std::map<std::string, std::size_t> missing_words;  // number of missing cells, by their text
  std::size_t codes = 0;         // number of cells for which is_code() holds, except the cells that `exponents` counts
  std::size_t exponents = 0;     // number of cells for which is_code() holds and that have an exponent, such as 12E3
  std::size_t wholes = 0;        // number of cells that consist only of digits
  std::size_t short_wholes = 0;  // number of cells of the shape short_whole (shape_of())
  std::size_t one_groups = 0;    // number of cells of the shape one_group
  std::size_t first_one_group = 0;  // first row with a cell of the shape one_group
  std::size_t other_groups = 0;     // number of cells with the other decimal mark, which may separate thousands

  [[nodiscard]] std::size_t count(CellKind kind) const { return cells[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t first(CellKind kind) const { return first_row[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t missing() const { return count(CellKind::missing); }
  // Whether the cells are codes. In a column of numbers and texts, a cell such as 01067 makes all cells codes. A cell
  // such as 12E3 makes all cells codes if all other numbers consist only of digits.
  [[nodiscard]] bool are_codes() const {
    const bool has_codes = codes > 0 || (exponents > 0 && exponents + wholes == count(CellKind::number));
    return has_codes && count(CellKind::number) + count(CellKind::text) == rows.size();
  }
  // Whether the decimal mark of the numbers may be between thousands. The mark may separate thousands if each number
  // with the mark has three digits after the mark, and each other number is whole and has at most three digits.
  [[nodiscard]] bool may_be_thousands() const {
    return one_groups > 0 && one_groups + short_wholes == count(CellKind::number);
  }
};

// The profile of one column. With `percent`, a cell that ends with % may be a number.
[[nodiscard]] ColumnProfile profile_column(const TextTable& table, std::size_t column, const CellForm& form,
                                           bool percent);

// The texts of categories and how often each text occurs. The most frequent texts come first, and equally frequent
// texts are in alphabetical order.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> count_categories(const TextTable& table,
                                                                                std::size_t column,
                                                                                const CellForm& form);

struct NumberStatistics {
  double mean = 0;
  double deviation = 0;  // standard deviation: the sum of squares is divided by the count, not by the count - 1
  double median = 0;
  double robust_deviation = 0;  // distance between the quartiles / 1.349; for normal data, this is the deviation
  double least = 0;
  double largest = 0;
  std::size_t distinct = 0;
  std::size_t mode_count = 0;  // how often the most frequent value occurs
  double largest_share = 0;    // the largest fraction of the variance that comes from one row
  bool whole = false;          // whether all numbers are whole
};
// Computes the statistics of at least one number.
[[nodiscard]] NumberStatistics statistics_of(std::span<const double> numbers);

// Functions that tell whether the numbers or the name of a column look like something that is not a feature.
[[nodiscard]] bool has_name_of_id(std::string_view name);
[[nodiscard]] bool has_name_of_label(std::string_view name);
[[nodiscard]] bool looks_like_id(std::string_view name, const NumberStatistics& statistics, std::size_t count);
// Whether all numbers look like seconds or milliseconds since 1970, or like days such as 20261123.
[[nodiscard]] bool looks_like_date(std::span<const double> numbers);

// How well a column by itself predicts the label, at most 1: (a - m) / (1 - m). In (a - m) / (1 - m), a is the fraction
// of rows whose label is the most frequent label among the rows with similar values. In (a - m) / (1 - m), m is the
// fraction of rows that have the overall most frequent label. `keys` are the column's values by row: numbers, or
// indices of categories.
[[nodiscard]] double label_revealed_by(std::span<const double> keys, std::span<const std::uint32_t> labels);

}  // namespace sotto::apps::prepare
