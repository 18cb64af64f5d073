// The private bandit over a wide area: short runs of real processes on emulated links, each compared with a model of
// the run's time (apps/bandit/run/result/link_model.h).
//
// Correlations are dealt ahead, so that the dealer's link does not matter. The data are made up, because the time of a
// step does not depend on the data. If the bandit runs in batches, "step" means one event.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/bandit/run/result/link_model.h"
#include "apps/kit/report/line_chart.h"
#include "apps/kit/report/run_header.h"
#include "apps/kit/report/table.h"

namespace sotto::apps::lab {

struct WanSetting {
  std::size_t parties = 2;
  std::size_t features = 20;
  std::size_t arms = 10;
  net::LinkConditions link;
  std::size_t batch = 1;  // the number of events that are decided, and learned, at once
};

struct WanPoint {
  WanSetting setting;
  std::uint64_t steps = 0;   // number of steps of the run
  std::uint64_t rounds = 0;  // number of rounds for each step, or for each batch
  std::uint64_t bytes = 0;   // bytes that the largest party sends for each step
  bandit::run::LinkModel model;
};

[[nodiscard]] FigureTable wan_table(const std::vector<WanPoint>& points);

// A chart of milliseconds for a step against delay, parties or arms. The chart uses the points with the smallest batch
// and the smallest values of the settings that the chart does not vary. The measured lines are the series "s0", "s1",
// ...; the model's lines are "m0", "m1", ... A chart with only one value of x is left out.
struct WanChart {
  std::string key;  // "delay", "parties", "arms"
  LineChart chart;
};
[[nodiscard]] std::vector<WanChart> wan_charts(const std::vector<WanPoint>& points);

// The chart as a self-contained SVG, with its legend, colours and background.
[[nodiscard]] std::string wan_svg(const WanChart& chart);
// All charts on one page that loads nothing from elsewhere.
[[nodiscard]] std::string wan_html(const Page& figures, const std::vector<WanChart>& charts);

}  // namespace sotto::apps::lab
