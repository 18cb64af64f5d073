// A line chart as an inline SVG.
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
  std::string css_name;  // in the stylesheet
  std::string name;
  std::vector<ChartPoint> points;
};

struct ChartBaseline {
  std::string label;
  double y = 0;
};

struct LineChart {
  std::string title;  // for screen readers
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

// Text is 13 units high, whatever `size` is.
std::string line_chart_svg(const LineChart& chart, const ChartSize& size, const std::string& css_class);

// Neighbours are 1, 2 or 5 times a power of ten apart.
std::vector<double> nice_ticks(double low, double high, int count);

// The bounds must satisfy 0 < low <= high.
std::vector<double> power_ticks(double low, double high, int count);

}  // namespace sotto::apps
