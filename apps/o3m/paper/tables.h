// The tables of `sotto o3m paper`.
#pragma once

#include <vector>

#include "apps/measure/table.h"
#include "apps/o3m/paper/result.h"

namespace sotto::apps {

// checks, regret, table_1, computation, communication, and criteo where there is a log.
[[nodiscard]] std::vector<FigureTable> paper_tables(const PaperResult& result);

}  // namespace sotto::apps
