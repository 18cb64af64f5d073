// What `sotto-lab bench wan` shows of its runs: a table, and time a step against delay, parties and arms.
#pragma once

#include <string>
#include <vector>

#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/measure/wan.h"

namespace sotto::apps {

[[nodiscard]] FigureTable wan_table(const std::vector<WanPoint>& points);

// Milliseconds a step against delay, parties and arms; the settings that a chart does not vary are
// the smallest of the points'. Measured lines are series "s0", "s1", ..., and the model's "m0", ...
// A chart of one x alone is left out.
struct WanChart {
  std::string key;  // "delay", "parties", "arms"
  LineChart chart;
};
[[nodiscard]] std::vector<WanChart> wan_charts(const std::vector<WanPoint>& points);

}  // namespace sotto::apps
