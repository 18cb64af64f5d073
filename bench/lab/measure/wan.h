// The private bandit over a wide area: short runs of real processes on emulated links, each beside the model of its
// time (apps/bandit/run/result/link_model.h).
//
// Correlations are dealt ahead, so that the dealer's link decides nothing. The data are made up: a step takes the same
// whatever they are. In batches a step is an event.
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
  std::size_t batch = 1;  // events that are decided, and learned, at once
};

struct WanPoint {
  WanSetting setting;
  std::uint64_t steps = 0;   // that were run
  std::uint64_t rounds = 0;  // a step, or a batch
  std::uint64_t bytes = 0;   // that the largest party sends a step
  bandit::run::LinkModel model;
};

[[nodiscard]] FigureTable wan_table(const std::vector<WanPoint>& points);

// Milliseconds a step against delay, parties and arms; the settings that a chart does not vary, and the batch, are the
// smallest of the points'. Measured lines are series "s0", "s1", ..., and the model's "m0", ... A chart of one x alone
// is left out.
struct WanChart {
  std::string key;  // "delay", "parties", "arms"
  LineChart chart;
};
[[nodiscard]] std::vector<WanChart> wan_charts(const std::vector<WanPoint>& points);

// A chart as an SVG that stands alone, with its legend, colours and background.
[[nodiscard]] std::string wan_svg(const WanChart& chart);
// All of them on one page that loads nothing.
[[nodiscard]] std::string wan_html(const Page& figures, const std::vector<WanChart>& charts);

}  // namespace sotto::apps::lab
