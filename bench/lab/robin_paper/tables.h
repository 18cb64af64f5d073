// The tables of `sotto-lab paper robin`.
#pragma once

#include <vector>

#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/robin_paper/result.h"

namespace sotto::apps {

// checks, runs and mechanisms.
[[nodiscard]] std::vector<FigureTable> robin_paper_tables(const RobinPaperResult& result);

}  // namespace sotto::apps
