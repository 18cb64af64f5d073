#include "apps/prepare/tables/row_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {

std::vector<std::string> row_ids(const TextTable& table, const Columns& columns) {
  std::vector<std::string> ids;
  ids.reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    std::string& id = ids.emplace_back(table.cell(r, columns.front()));
    for (std::size_t i = 1; i < columns.size(); ++i) id += fmt::format("|{}", table.cell(r, columns[i]));
  }
  return ids;
}

std::vector<std::string_view> views_of(std::span<const std::string> ids) { return {ids.begin(), ids.end()}; }

void require_ids(const TextTable& table, const Columns& columns, const CellForm& form) {
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (const std::size_t column : columns) {
      TableCell cell;
      cell.text = table.cell(r, column);
      if (!is_missing(cell, form)) continue;
      throw InputError(table.where(r, column), "no value where an id is expected; every row needs one");
    }
  }
}

void check_ids(const TextTable& table, const Columns& columns, const CellForm& form,
               std::span<const std::string_view> ids) {
  require_ids(table, columns, form);
  std::unordered_map<std::string_view, std::size_t> seen;
  seen.reserve(ids.size());
  for (std::size_t r = 0; r < ids.size(); ++r) {
    const auto place = seen.try_emplace(ids[r], r);
    if (place.second) continue;
    const std::size_t first = place.first->second;
    const bool is_written_alike = std::all_of(columns.begin(), columns.end(), [&](std::size_t column) {
      return table.cell(r, column) == table.cell(first, column);
    });
    throw InputError(
        table.where(r, columns.front()),
        fmt::format(
            "the id of row {} stands here again{}; each id needs one row", table.where(first),
            is_written_alike ? "" : ", written otherwise (unicode, case and blanks in [align] say what is the same)"));
  }
}

bool are_distinct(std::span<const std::string_view> ids) {
  return std::unordered_set<std::string_view>(ids.begin(), ids.end()).size() == ids.size();
}

std::vector<std::size_t> order_of_ids(std::span<const std::string_view> ids, bool sort) {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sort) {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  }
  return order;
}

}  // namespace sotto::apps::prepare
