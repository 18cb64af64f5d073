// A line chart as an inline SVG, with round numbers on the axes, gridlines, series, bands of one standard deviation,
// and baselines.
//
// Colours come from the style of the page (classes series-<name>, band-<name>, baseline, grid, axis), so that a chart
// follows light and dark mode. The x axis starts at 0, and the y axis covers all values. With a logarithmic y axis,
// values that are 0 or below are drawn at the foot of the chart. A logarithmic x axis covers the points, which must be
// above 0. While the pointer is over a chart, CSS shows the values at the position of the pointer. A chart has no
// script.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sotto::apps {

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::optional<double> sd;
};

struct ChartSeries {
  std::string css_name;  // name in the style sheet: "private", "plaintext"
  std::string name;      // for people
  std::vector<ChartPoint> points;
};

struct ChartBaseline {
  std::string label;
  double y = 0;
};

struct LineChart {
  std::string title;  // text for screen readers
  std::string x_label;
  std::string y_label;
  std::vector<ChartSeries> series{};
  std::vector<ChartBaseline> baselines{};
  bool log_y = false;
  bool log_x = false;
};

struct ChartSize {
  double width = 920;
  double height = 380;
};

// Renders a chart. Text is 13 units high, whatever `size` is. Render a chart once for each width at which it is shown.
std::string line_chart_svg(const LineChart& chart, const ChartSize& size, const std::string& css_class);

// About `count` round numbers (1, 2 or 5 times a power of ten apart) that cover [low, high].
std::vector<double> nice_ticks(double low, double high, int count);

// About `count` powers of ten that cover [low, high], with 0 < low <= high and the same factor between neighbours.
std::vector<double> power_ticks(double low, double high, int count);

}  // namespace sotto::apps
