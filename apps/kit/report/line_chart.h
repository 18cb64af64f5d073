// A line chart as an inline SVG: axes from nice numbers, gridlines, series, bands of one standard deviation, baselines.
//
// Colours come from the page's style (classes series-<name>, band-<name>, baseline, grid, axis), so that the chart
// follows light and dark mode. x starts at 0; y covers everything that is drawn. With a logarithmic y axis, what is not
// above 0 is drawn at its foot; a logarithmic x axis covers the points, which must be above 0.
// While the pointer is over the chart, the values there are shown, by style alone: no script.
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
  std::string css_name;  // "private", "plaintext"
  std::string name;      // for people
  std::vector<ChartPoint> points;
};

struct ChartBaseline {
  std::string label;
  double y = 0;
};

struct LineChart {
  std::string title;  // read out by screen readers
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

// Text is 13 units high whatever the size: render a chart once for each width that it is shown at.
std::string line_chart_svg(const LineChart& chart, const ChartSize& size, const std::string& css_class);

// Round numbers (1, 2 or 5 times a power of ten apart) that cover [low, high], about `count` of them.
std::vector<double> nice_ticks(double low, double high, int count);

// Powers of ten that cover [low, high], 0 < low <= high, about `count` of them, the same factor apart.
std::vector<double> power_ticks(double low, double high, int count);

}  // namespace sotto::apps
