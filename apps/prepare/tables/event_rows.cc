#include "apps/prepare/tables/event_rows.h"

#include <fmt/format.h>

#include <numeric>
#include <string_view>
#include <unordered_map>

#include "apps/kit/files/row_order.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

// Refuses a log in place of the list: the companies must not see its arms and rewards.
void refuse_log(const TextTable& events) {
  for (const std::string_view name : {"arm", "reward"}) {
    if (!events.find_column(name)) continue;
    throw InputError(events.where_names(),
                     fmt::format("there is a column '{}', so this is a log: `sotto prepare log` writes the list of its "
                                 "events, events.csv, which has only their ids",
                                 name));
  }
}

Columns columns_in(const TextTable& events, const TextTable& table, const Columns& id_columns) {
  Columns columns;
  for (const std::size_t column : id_columns) columns.push_back(events.column(table.columns()[column], "--events"));
  return columns;
}

Columns all_columns(const TextTable& table) {
  Columns columns(table.columns().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

}  // namespace

EventRows join_events(const TextTable& events, const TextTable& table, const Columns& id_columns,
                      const std::vector<std::string>& table_ids, const CellForm& form, bool allows_absent) {
  refuse_log(events);
  if (events.rows() == 0) throw InputError(events.file(), "the list has no event");
  const Columns columns = columns_in(events, table, id_columns);
  require_ids(events, all_columns(events), form);
  std::unordered_map<std::string_view, std::size_t> row_of_id;
  for (std::size_t row = 0; row < table_ids.size(); ++row) row_of_id.emplace(table_ids[row], row);
  EventRows joined;
  joined.ids = row_ids(events, columns);
  joined.rows.reserve(events.rows());
  std::size_t first_absent = 0;
  for (std::size_t event = 0; event < events.rows(); ++event) {
    const auto found = row_of_id.find(joined.ids[event]);
    joined.rows.push_back(found == row_of_id.end() ? table.rows() : found->second);
    if (found == row_of_id.end() && joined.absent++ == 0) first_absent = event;
  }
  if (joined.absent > 0 && !allows_absent) {
    throw InputError(events.where(first_absent, columns.front()),
                     fmt::format("{} has no row with this id ({} of {}): --absent-missing gives such events a row in "
                                 "which every value is missing",
                                 table.file(), counted(joined.absent, "event"), events.rows()));
  }
  const std::vector<std::string> whole = row_ids(events, all_columns(events));
  joined.order = order_digest(views_of(whole));
  return joined;
}

}  // namespace sotto::apps::prepare
