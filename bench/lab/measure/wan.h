// The private bandit over a wide area: real processes on emulated links, compared with a model of the time
// (apps/bandit/run/result/link_model.h).
//
// The dealer deals all randomness ahead, so that the dealer's link does not matter. If the bandit runs in batches,
// "step" means one event.
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
  std::size_t batch = 1;
};

struct WanPoint {
  WanSetting setting;
  std::uint64_t steps = 0;
  std::uint64_t rounds = 0;  // for each step, or for each batch
  std::uint64_t bytes = 0;   // sent by the largest party for each step
  bandit::run::LinkModel model;
};

[[nodiscard]] FigureTable wan_table(const std::vector<WanPoint>& points);

// A chart of the milliseconds for a step, by delay, number of parties or number of arms. The series "s0", "s1", ... are
// measured, and "m0", "m1", ... are the model.
struct WanChart {
  std::string key;  // "delay", "parties", "arms"
  LineChart chart;
};
[[nodiscard]] std::vector<WanChart> wan_charts(const std::vector<WanPoint>& points);

[[nodiscard]] std::string wan_svg(const WanChart& chart);
[[nodiscard]] std::string wan_html(const Page& figures, const std::vector<WanChart>& charts);

}  // namespace sotto::apps::lab
