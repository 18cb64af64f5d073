// The figures of Cao et al. 2022, as charts of our runs.
#pragma once

#include <string>
#include <vector>

#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/bench/lab/o3m_paper/result.h"

namespace sotto::apps {

struct PaperChart {
  std::string heading;  // "Figure 4 (a)"
  std::string caption;
  LineChart chart;
};

// Of one noise: figure 4 (a) to (d), figure 6 (a) and (b).
[[nodiscard]] std::vector<PaperChart> regret_charts(const RegretRuns& runs);
// Figure 5 (a) to (c).
[[nodiscard]] std::vector<PaperChart> cost_charts(const PaperResult& result);
// Figure 6 (c).
[[nodiscard]] PaperChart criteo_chart(const CriteoRuns& runs);

// Colours of the series' classes.
extern const char* const paper_chart_style;

}  // namespace sotto::apps
