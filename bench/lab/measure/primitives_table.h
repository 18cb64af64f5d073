// The figures of primitives as a table.
#pragma once

#include <vector>

#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/measure/primitives.h"

namespace sotto::apps {

[[nodiscard]] FigureTable primitives_table(const std::vector<PrimitiveFigures>& figures);

}  // namespace sotto::apps
