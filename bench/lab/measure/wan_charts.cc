#include "sotto/bench/lab/measure/wan.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto::apps {
namespace {

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

bool emulated(const WanPoint& point) { return point.setting.link.emulated(); }

using Value = double (*)(const WanSetting&);

struct Axis {
  const char* key;
  const char* label;
  const char* unit;  // after a value in a legend
  Value value;
};

const Axis delay_axis{"delay", "delay of a link, ms", "ms",
                      [](const WanSetting& s) { return milliseconds(s.link.delay); }};
const Axis party_axis{"parties", "parties", "parties",
                      [](const WanSetting& s) { return static_cast<double>(s.parties); }};
const Axis arm_axis{"arms", "arms", "arms",
                    [](const WanSetting& s) { return static_cast<double>(s.arms); }};

std::vector<double> values(const std::vector<WanPoint>& points, const Axis& axis) {
  std::vector<double> all;
  all.reserve(points.size());
  for (const WanPoint& point : points) all.push_back(axis.value(point.setting));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Time against `x`, two lines for each value of `lines`; `fixed` is at its smallest value.
WanChart chart_of(const std::vector<WanPoint>& points, const Axis& x, const Axis& lines,
                  const Axis& fixed) {
  const double at = values(points, fixed).front();
  LineChart chart;
  chart.title = fmt::format("Milliseconds a step by {}, {:g} {}", x.key, at, fixed.unit);
  chart.x_label = x.label;
  chart.y_label = "ms a step";
  std::size_t number = 0;
  for (const double line : values(points, lines)) {
    ChartSeries measured{fmt::format("s{}", number), fmt::format("{:g} {}", line, lines.unit), {}};
    ChartSeries model{fmt::format("m{}", number), "model", {}};
    ++number;
    for (const WanPoint& point : points) {
      if (lines.value(point.setting) != line || fixed.value(point.setting) != at) continue;
      const double where = x.value(point.setting);
      measured.points.push_back({where, 1e3 * point.model.measured, std::nullopt});
      model.points.push_back({where, 1e3 * point.model.total(), std::nullopt});
    }
    const auto by_x = [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; };
    std::sort(measured.points.begin(), measured.points.end(), by_x);
    std::sort(model.points.begin(), model.points.end(), by_x);
    chart.series.push_back(std::move(measured));
    chart.series.push_back(std::move(model));
  }
  return WanChart{x.key, std::move(chart)};
}

}  // namespace

FigureTable wan_table(const std::vector<WanPoint>& points) {
  FigureTable table("wan", "A step of the bandit over emulated links",
                    {{"delay_ms", "delay, ms"},
                     {"parties", "parties"},
                     {"arms", "arms"},
                     {"steps", "steps"},
                     {"rounds", "rounds"},
                     {"sent_bytes", "sent by a party, B"},
                     {"measured_ms", "measured, ms"},
                     {"model_ms", "model, ms"},
                     {"error_percent", "error, %"},
                     {"delays_ms", "delays, ms"},
                     {"transfer_ms", "bytes / rate, ms"},
                     {"jitter_ms", "jitter, ms"},
                     {"arithmetic_ms", "arithmetic, ms"}});
  for (const WanPoint& point : points) {
    const LinkModel& m = point.model;
    std::optional<double> error;
    if (emulated(point)) error = m.error_percent();
    table.add({milliseconds(point.setting.link.delay), point.setting.parties, point.setting.arms,
               point.steps, point.rounds, point.bytes, 1e3 * m.measured, 1e3 * m.total(), error,
               1e3 * m.delay, 1e3 * m.transfer, 1e3 * m.jitter, 1e3 * m.arithmetic});
  }
  table.note(
      "Model: along the path that decides, rounds x delay + bytes of the largest frame of each "
      "round / rate + mean jitter + what the roles were busy themselves. What is missing in it is "
      "the system's own time for messages and wake-ups.");
  table.note("The links are emulated: these are no measurements of a network.");
  return table;
}

std::vector<WanChart> wan_charts(const std::vector<WanPoint>& points) {
  std::vector<WanChart> charts;
  const auto add = [&](const Axis& x, const Axis& lines, const Axis& fixed) {
    if (values(points, x).size() > 1) charts.push_back(chart_of(points, x, lines, fixed));
  };
  add(delay_axis, party_axis, arm_axis);
  add(party_axis, delay_axis, arm_axis);
  add(arm_axis, delay_axis, party_axis);
  return charts;
}

}  // namespace sotto::apps
