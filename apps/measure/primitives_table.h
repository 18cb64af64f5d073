// The figures of primitives as a table.
#pragma once

#include <vector>

#include "apps/measure/primitives.h"
#include "apps/measure/table.h"

namespace sotto::apps {

[[nodiscard]] FigureTable primitives_table(const std::vector<PrimitiveFigures>& figures);

}  // namespace sotto::apps
