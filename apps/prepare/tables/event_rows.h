// Joins a list of events to a company's table: one customer may be in many events.
//
// The owner of a log writes the list (prepare_log.h) and gives it to each company. The list is a CSV with one line per
// event and the columns of the events' ids. At least the columns that make the ids of the company's table must be among
// them. The list has no arm and no reward.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

struct EventRows {
  std::vector<std::size_t> rows;  // by event: the row of the table; table.rows() if no row has the event's id
  std::vector<std::string> ids;   // by event: the id by which the row was found
  std::string order;              // digest of the events' whole ids, in the order of the events
  std::size_t absent = 0;         // number of events whose id is not in the table
};

// Finds the row of each event. `table_ids` are the distinct ids of the table, which its columns `id_columns` make;
// `form` says which ids are missing. Unless `allows_absent` is set, throws InputError if the table lacks the id of an
// event. Errors name lines and show no id.
[[nodiscard]] EventRows join_events(const TextTable& events, const TextTable& table, const Columns& id_columns,
                                    const std::vector<std::string>& table_ids, const CellForm& form,
                                    bool allows_absent);

}  // namespace sotto::apps::prepare
