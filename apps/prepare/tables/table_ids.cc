#include "apps/prepare/tables/table_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {

void check_ids(const TextTable& table, std::size_t id_column, const CellForm& form,
               std::span<const std::string_view> ids) {
  std::unordered_map<std::string_view, std::size_t> seen;
  seen.reserve(ids.size());
  for (std::size_t r = 0; r < ids.size(); ++r) {
    TableCell cell;
    cell.text = ids[r];
    if (is_missing(cell, form)) {
      throw InputError(table.where(r, id_column), "no value where an id is expected; every row needs one");
    }
    const auto [found, fresh] = seen.try_emplace(cell.text, r);
    if (fresh) continue;
    const bool is_written_alike = table.cell(r, id_column) == table.cell(found->second, id_column);
    throw InputError(
        table.where(r, id_column),
        fmt::format(
            "the id of row {} stands here again{}; each id needs one row", table.where(found->second),
            is_written_alike ? "" : ", written otherwise (unicode, case and blanks in [align] say what is the same)"));
  }
}

std::vector<std::size_t> order_of_rows(const TextTable& table, std::size_t id_column, const CellForm& form, bool sort) {
  std::vector<std::string_view> ids;
  ids.reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) ids.push_back(table.cell(r, id_column));
  check_ids(table, id_column, form, ids);
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sort) {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  }
  return order;
}

}  // namespace sotto::apps::prepare
