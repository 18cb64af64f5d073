// The tables of `sotto-lab paper o3m`.
#pragma once

#include <vector>

#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/o3m_paper/result.h"

namespace sotto::apps {

// checks, regret, table_1, computation, communication, and criteo where there is a log.
[[nodiscard]] std::vector<FigureTable> paper_tables(const PaperResult& result);

}  // namespace sotto::apps
