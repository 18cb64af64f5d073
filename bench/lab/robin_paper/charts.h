// Regret of ROBIN against the number of clients, epsilon and the horizon, beside both twins.
#pragma once

#include <string>
#include <vector>

#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/bench/lab/robin_paper/experiment.h"

namespace sotto::apps {

struct RobinChart {
  std::string heading;  // "Regret against clients"
  std::string caption;
  LineChart chart;
};

[[nodiscard]] std::vector<RobinChart> robin_paper_charts(const RobinPaperRuns& runs);

// Colours of the classes of series: robin, robin-local, robin-nonprivate.
extern const char* const robin_chart_style;

}  // namespace sotto::apps
