// The tables of `sotto robin paper`.
#pragma once

#include <vector>

#include "apps/measure/table.h"
#include "apps/robin/paper/result.h"

namespace sotto::apps {

// checks, runs and mechanisms.
[[nodiscard]] std::vector<FigureTable> robin_paper_tables(const RobinPaperResult& result);

}  // namespace sotto::apps
