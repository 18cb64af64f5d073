#include "bench/lab/batches_paper/result.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "core/text/count.h"

namespace sotto::apps::lab {
namespace {

struct Line {
  const char* css_name;
  const char* name;
  const char* light;
  const char* dark;
  std::size_t delay;
  bool warm_up;
};

constexpr std::array lines{Line{"batch-now", "no delay", "#12406e", "#b6d7fa", 0, false},
                           Line{"batch-one", "delay 1", "#b8651b", "#e6a55c", 1, false},
                           Line{"batch-four", "delay 4", "#a3221a", "#ff9d94", 4, false},
                           Line{"batch-warm-now", "no delay, warm-up", "#8fb4d9", "#47698c", 0, true},
                           Line{"batch-warm-one", "delay 1, warm-up", "#2d6a4f", "#7bc8a0", 1, true},
                           Line{"batch-warm-four", "delay 4, warm-up", "#8a3d8f", "#d59bd9", 4, true}};

PageFigure chart_of(const BatchesRuns& runs, std::size_t set) {
  PageFigure figure{"Reward against the size of a batch: " + runs.sets[set].name,
                    "Means of the plain-text twin; shaded: one standard error.",
                    {.title = fmt::format("Average reward after {}", counted(runs.sets[set].events, "event")),
                     .x_label = "events of a batch",
                     .y_label = "average reward",
                     .series = {},
                     .log_x = true}};
  for (const Line& line : lines) {
    ChartSeries series{line.css_name, line.name, {}};
    for (const BatchCell& cell : runs.cells) {
      const BatchSetting& s = cell.setting;
      const bool on_it = s.delay == line.delay && s.warm_up == line.warm_up && s.unit == DelayUnit::batches;
      if (cell.set != set || !on_it) continue;
      series.points.push_back({static_cast<double>(s.batch), cell.reward().mean, cell.standard_error()});
    }
    if (!series.points.empty()) figure.chart.series.push_back(std::move(series));
  }
  return figure;
}

std::string line_style() {
  std::vector<SeriesLook> looks;
  looks.reserve(lines.size());
  for (const Line& line : lines) looks.push_back({line.css_name, line.light, line.dark});
  return series_style(looks);
}

}  // namespace

std::vector<PageFigure> batches_charts(const BatchesRuns& runs) {
  std::vector<PageFigure> charts;
  charts.reserve(runs.sets.size());
  for (std::size_t set = 0; set < runs.sets.size(); ++set) charts.push_back(chart_of(runs, set));
  return charts;
}

std::string report_html(const BatchesResult& result) {
  ReportPage page;
  page.title = "what batches earn";
  page.style = line_style();
  page.eyebrow = fmt::format("sotto-lab paper batches &middot; {}, {}", counted(result.runs.options.seeds, "seed"),
                             counted(result.runs.options.private_runs, "private run"));
  page.heading = "What batches earn";
  page.verdict = escape_html(result.verdict()) + ".";
  page.verdict_failed = !result.all_passed();
  page.about =
      "The private bandit decides many events at once and learns from them when their rewards have come. What size and "
      "delay "
      "cost, they cost in the beginning, when all scores tie: the last quarter of a run earns the same. Coins of these "
      "runs are drawn from seeds, so that they can be repeated; they protect nobody.";
  const std::vector<FigureTable> tables = batches_tables(result);
  page.add_tables(std::span(tables).first(1));
  for (const PageFigure& figure : batches_charts(result.runs)) {
    page.sections.push_back({escape_html(figure.heading), paragraph(escape_html(figure.chart.title) + ".") +
                                                              chart_figure(figure.chart, figure.caption)});
  }
  page.add_tables(std::span(tables).subspan(1));
  page.add_end(result.provenance, result.seconds);
  return to_html(page);
}

}  // namespace sotto::apps::lab
