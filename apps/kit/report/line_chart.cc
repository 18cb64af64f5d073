#include "apps/kit/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/kit/report/human.h"
#include "apps/kit/report/markup.h"

namespace sotto::apps {
namespace {

constexpr double least_left = 50, right = 26, top = 16, bottom = 44;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct Frame {
  ChartSize size;
  std::vector<double> x_ticks;
  std::vector<double> y_ticks;
  double x_begin = 0;
  double x_end = 1;
  bool log_y = false;
  bool log_x = false;
  double left = least_left;

  [[nodiscard]] double x(double value) const {
    const double along =
        log_x ? std::log(std::max(value, x_begin) / x_begin) / std::log(x_end / x_begin) : value / x_end;
    return left + along * (size.width - left - right);
  }
  [[nodiscard]] double y(double value) const {
    const double low = y_ticks.front();
    const double high = y_ticks.back();
    const double height =
        log_y ? std::log(std::max(value, low) / low) / std::log(high / low) : (value - low) / (high - low);
    return size.height - bottom - height * (size.height - top - bottom);
  }
};

std::string power_label(double tick) {
  return tick < 1e4 && tick > 0.99e-3 ? fmt::format("{:g}", tick) : fmt::format("1e{:.0f}", std::log10(tick));
}

std::string tick_label(double value, double step) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", std::abs(value) < step / 1e6 ? 0.0 : value, decimals);
}

std::string y_tick_label(const Frame& frame, double tick) {
  if (frame.log_y) return power_label(tick);
  return tick_label(tick, frame.y_ticks[1] - frame.y_ticks[0]);
}

std::vector<double> log_ticks(const Range& y) {
  return y.low > y.high ? power_ticks(1, 1, 5) : power_ticks(y.low, y.high, 5);
}

std::vector<double> ticks_within(double low, double high, std::size_t most) {
  std::vector<double> all, powers;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high * (1 + 1e-9); power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * power;
      if (tick < low * (1 - 1e-9) || tick > high * (1 + 1e-9)) continue;
      all.push_back(tick);
      if (factor == 1) powers.push_back(tick);
    }
  }
  return all.size() > most ? powers : all;
}

void set_x(Frame& frame, const Range& x) {
  frame.x_end = x.high;
  if (frame.log_x) {
    frame.x_begin = x.low;
    if (frame.x_end <= frame.x_begin) frame.x_end = 10 * frame.x_begin;
    frame.x_ticks = ticks_within(frame.x_begin, frame.x_end, frame.size.width < 600 ? 4 : 8);
    return;
  }
  // The x axis shows a count, so no tick may lie between two whole numbers.
  const double most_ticks = std::min(frame.size.width < 600 ? 4.0 : 8.0, x.high);
  frame.x_ticks = nice_ticks(0, x.high, static_cast<int>(most_ticks));
  while (frame.x_ticks.size() > 1 && frame.x_ticks.back() > x.high * (1 + 1e-9)) frame.x_ticks.pop_back();
}

Frame make_frame(const LineChart& chart, const ChartSize& size) {
  Range x, y;
  bool log_x = chart.log_x;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) log_x = log_x && point.x > 0;
  }
  if (!log_x) x.include(1);
  if (!chart.log_y) y.include(0);
  const auto include_y = [&](double value) {
    if (!chart.log_y || value > 0) y.include(value);
  };
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      x.include(point.x);
      include_y(point.y);
    }
  }
  for (const ChartBaseline& baseline : chart.baselines) include_y(baseline.y);
  if (!chart.log_y && y.high - y.low < 1e-9) y.high = y.low + 1;
  Frame frame;
  frame.size = size;
  frame.log_x = log_x && x.low <= x.high;
  if (x.low > x.high) x.include(1);
  set_x(frame, x);
  frame.log_y = chart.log_y;
  frame.y_ticks = chart.log_y ? log_ticks(y) : nice_ticks(y.low, y.high, 5);
  for (const double tick : frame.y_ticks) {
    const auto letters = static_cast<double>(y_tick_label(frame, tick).size());
    frame.left = std::max(frame.left, 24 + 7.5 * letters);
  }
  return frame;
}

std::string x_text(double value) {
  const bool whole = value == std::floor(value) || value >= 1000;
  return whole ? human_count(value) : fmt::format("{:.3g}", value);
}

std::string x_tick_label(double value) {
  if (value < 1e6) return x_text(value);
  return value < 1e9 ? fmt::format("{:g} M", value / 1e6) : fmt::format("{:g} G", value / 1e9);
}

std::string axes(const LineChart& chart, const Frame& frame) {
  const double floor = frame.size.height - bottom;
  const double end = frame.size.width - right;
  std::string out;
  for (const double tick : frame.y_ticks) {
    const double y = frame.y(tick);
    out += fmt::format(R"(<line class="grid" x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}"/>)", frame.left, y, end, y);
    out += fmt::format(R"(<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>)", frame.left - 8, y + 4.5,
                       y_tick_label(frame, tick));
  }
  for (const double tick : frame.x_ticks) {
    const double x = frame.x(tick);
    out += fmt::format(R"(<line class="axis" x1="{:.1f}" y1="{}" x2="{:.1f}" y2="{}"/>)", x, floor, x, floor + 5);
    out += fmt::format(R"(<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x, floor + 19,
                       x_tick_label(tick));
  }
  out += fmt::format(R"(<line class="axis" x1="{}" y1="{}" x2="{}" y2="{}"/>)", frame.left, floor, end, floor);
  out += fmt::format(R"(<text class="label" x="{}" y="{}" text-anchor="middle">{}</text>)", (frame.left + end) / 2,
                     frame.size.height - 6, escape_html(chart.x_label));
  const double middle = (top + floor) / 2;
  out += fmt::format(
      R"svg(<text class="label" x="13" y="{}" text-anchor="middle" transform="rotate(-90 13 {})">{}</text>)svg", middle,
      middle, escape_html(chart.y_label));
  return out + "\n";
}

std::string baseline(const ChartBaseline& line, const Frame& frame) {
  const double y = frame.y(line.y);
  const double end = frame.size.width - right;
  return fmt::format(R"(<line class="baseline" x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}"/>)"
                     R"(<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>)",
                     frame.left, y, end, y, end - 2, y < top + 18 ? y + 16 : y - 6, escape_html(line.label)) +
         "\n";
}

std::string band(const ChartSeries& series, const Frame& frame) {
  const double low = frame.y_ticks.front();
  const double high = frame.y_ticks.back();
  std::string upper, lower;
  for (const ChartPoint& point : series.points) {
    if (!point.sd) return {};
    const double x = frame.x(point.x);
    upper += fmt::format("{:.1f},{:.1f} ", x, frame.y(std::min(high, point.y + *point.sd)));
    lower.insert(0, fmt::format("{:.1f},{:.1f} ", x, frame.y(std::max(low, point.y - *point.sd))));
  }
  if (upper.empty()) return {};
  return fmt::format(R"(<polygon class="band-{}" points="{}{}"/>)", series.css_name, upper, lower) + "\n";
}

std::string line(const ChartSeries& series, const Frame& frame) {
  std::string points;
  for (const ChartPoint& point : series.points) {
    points += fmt::format("{:.1f},{:.1f} ", frame.x(point.x), frame.y(point.y));
  }
  if (points.empty()) return {};
  return fmt::format(R"(<polyline class="series series-{}" points="{}"/>)", series.css_name, points) + "\n";
}

const ChartPoint* point_at(const ChartSeries& series, double x) {
  const auto found = std::lower_bound(series.points.begin(), series.points.end(), x,
                                      [](const ChartPoint& point, double value) { return point.x < value; });
  return found != series.points.end() && found->x == x ? &*found : nullptr;
}

// CSS shows the readout while the pointer is near `x`.
std::string readout(const LineChart& chart, const Frame& frame, double x) {
  const double at = frame.x(x);
  std::string text = fmt::format("{} {}", escape_html(chart.x_label), x_text(x));
  std::string dots;
  for (const ChartSeries& series : chart.series) {
    const ChartPoint* point = point_at(series, x);
    if (point == nullptr) continue;
    text += frame.log_y ? fmt::format(" · {} {:.3g}", escape_html(series.name), point->y)
                        : fmt::format(" · {} {:.3f}", escape_html(series.name), point->y);
    dots += fmt::format(R"(<circle class="dot-{}" cx="{:.1f}" cy="{:.1f}" r="4"/>)", series.css_name, at,
                        frame.y(point->y));
  }
  const double floor = frame.size.height - bottom;
  return fmt::format(R"(<g><line class="axis" x1="{:.1f}" y1="{}" x2="{:.1f}" y2="{}"/>{}<text x="{}" y="{}" )"
                     R"(text-anchor="middle">{}</text></g>)",
                     at, top, at, floor, dots, (frame.left + frame.size.width - right) / 2, floor - 14, text);
}

std::string hover(const LineChart& chart, const Frame& frame) {
  constexpr double least_width = 6;
  constexpr double least_chart = 600;  // narrower charts have no readout
  if (chart.series.empty() || frame.size.width < least_chart) return {};
  std::string out;
  double from = frame.left;
  for (const ChartPoint& point : chart.series.front().points) {
    const double at = frame.x(point.x);
    const double to = std::min(2 * at - from, frame.size.width - right);
    if (to - from < least_width) continue;
    out += fmt::format(R"(<g class="hit"><rect x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>{}</g>)", from, top,
                       to - from, frame.size.height - top - bottom, readout(chart, frame, point.x)) +
           "\n";
    from = to;
  }
  return out;
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int count) {
  const double raw = (high - low) / std::max(count, 1);
  const double magnitude = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * magnitude;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * magnitude >= raw * (1 - 1e-9)) step = factor * magnitude;
  }
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  std::vector<double> ticks;
  for (double k = first; k <= last; ++k) ticks.push_back(k * step);
  return ticks;
}

std::vector<double> power_ticks(double low, double high, int count) {
  const double first = std::floor(std::log10(low) + 1e-9);
  const double last = std::max(first + 1, std::ceil(std::log10(high) - 1e-9));
  const double step = std::ceil((last - first) / std::max(count, 1));
  std::vector<double> ticks;
  for (double power = first; power < last + step; power += step) ticks.push_back(std::pow(10, power));
  return ticks;
}

std::string line_chart_svg(const LineChart& chart, const ChartSize& size, const std::string& css_class) {
  const Frame frame = make_frame(chart, size);
  std::string out = fmt::format(R"(<svg class="chart {}" viewBox="0 0 {} {}" role="img"><title>{}</title>)", css_class,
                                size.width, size.height, escape_html(chart.title));
  out += axes(chart, frame);
  for (const ChartBaseline& one : chart.baselines) out += baseline(one, frame);
  for (const ChartSeries& series : chart.series) out += band(series, frame);
  for (const ChartSeries& series : chart.series) out += line(series, frame);
  return out + hover(chart, frame) + "</svg>\n";
}

}  // namespace sotto::apps
