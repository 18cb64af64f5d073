#include "bench/lab/robin_paper/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "core/text/count.h"

namespace sotto::apps::lab {

namespace {

constexpr std::size_t drawn_dimension = 4;
constexpr std::size_t usual_clients = 1000;

ChartPoint point_of(double x, const MeanAndSd& regret, std::size_t seeds) {
  return {x, regret.mean, seeds > 1 ? std::optional(regret.sd) : std::nullopt};
}

// Regret against one setting.
struct Sweep {
  const char* heading;
  const char* caption;
  const char* x_label;
  std::string others;  // the settings that stay
  double (*x)(const RobinSettings&);
  // The settings of the paper's mechanisms at that x.
  std::function<RobinSettings(const RobinSettings&)> usual;
};

PageFigure sweep_figure(const RobinPaperRuns& runs, const Sweep& sweep) {
  std::vector<const RobinCell*> row;
  for (const RobinCell& cell : runs.cells) {
    if (runs.find(sweep.usual(cell.settings)) == &cell) row.push_back(&cell);
  }
  std::sort(row.begin(), row.end(),
            [&](const RobinCell* a, const RobinCell* b) { return sweep.x(a->settings) < sweep.x(b->settings); });
  const std::size_t seeds = runs.options.seeds;
  ChartSeries robin{"robin", "ROBIN", {}};
  ChartSeries local{"robin-local", "local LinUCB", {}};
  ChartSeries nonprivate{"robin-nonprivate", "federated, not private", {}};
  for (const RobinCell* cell : row) {
    const RobinSettings& s = cell->settings;
    const double at = sweep.x(s);
    if (!cell->refused()) robin.points.push_back(point_of(at, cell->regret(), seeds));
    local.points.push_back(point_of(at, runs.local_twin(s.dimension).regret(s.horizon), seeds));
    nonprivate.points.push_back(point_of(at, runs.nonprivate_twin(s.dimension, s.clients).regret(s.horizon), seeds));
  }
  return {sweep.heading,
          sweep.caption,
          {.title = "Regret a client, " + sweep.others,
           .x_label = sweep.x_label,
           .y_label = "regret a client",
           .series = {std::move(robin), std::move(local), std::move(nonprivate)},
           .log_x = true}};
}

std::vector<Sweep> sweeps(std::uint64_t horizon) {
  const std::size_t d = drawn_dimension;
  return {{"Regret against the number of clients",
           "ROBIN's line begins where a run is not refused. Shaded: one standard deviation over seeds.", "clients M",
           fmt::format("eps 1, T = {}", horizon), [](const RobinSettings& s) { return static_cast<double>(s.clients); },
           [=](const RobinSettings& s) { return paper_settings(d, s.clients, 1, horizon); }},
          {"Regret against epsilon",
           "What privacy costs: the distance from the line without it. Below ROBIN's first epsilon a run is refused.",
           "epsilon", fmt::format("M = 1000, T = {}", horizon), [](const RobinSettings& s) { return s.epsilon; },
           [=](const RobinSettings& s) { return paper_settings(d, usual_clients, s.epsilon, horizon); }},
          {"Regret against the horizon",
           "Each horizon is a run of its own: the more releases it has, the smaller the share of the budget that each "
           "gets.",
           "steps T", "M = 1000, eps 1", [](const RobinSettings& s) { return static_cast<double>(s.horizon); },
           [=](const RobinSettings& s) { return paper_settings(d, usual_clients, 1, s.horizon); }}};
}

// Cumulative, at the ends of phases.
ChartSeries phase_series(const char* css, const char* name,
                         const std::vector<const std::vector<PhaseFigures>*>& seeds) {
  ChartSeries series{css, name, {{0, 0, std::nullopt}}};
  for (std::size_t i = 0; i < seeds.front()->size(); ++i) {
    std::vector<double> values;
    values.reserve(seeds.size());
    for (const auto* phases : seeds) {
      values.push_back(total_regret(std::span(*phases).first(i + 1)));
    }
    const PhaseFigures& phase = seeds.front()->at(i);
    series.points.push_back(
        point_of(static_cast<double>(phase.first_step + phase.steps), mean_and_sd(values), seeds.size()));
  }
  return series;
}

std::vector<const std::vector<PhaseFigures>*> runs_of(const RobinTwin& twin) {
  std::vector<const std::vector<PhaseFigures>*> seeds;
  for (const auto& phases : twin.runs) seeds.push_back(&phases);
  return seeds;
}

std::optional<PageFigure> steps_chart(const RobinPaperRuns& runs) {
  const RobinCell* cell = runs.find(paper_settings(drawn_dimension, usual_clients, 1, runs.options.horizon));
  if (cell == nullptr || cell->refused()) return std::nullopt;
  std::vector<const std::vector<PhaseFigures>*> seeds;
  for (const RobinOutcome& outcome : cell->outcomes) seeds.push_back(&outcome.phases);
  PageFigure chart{"Regret by step",
                   "The first 126 steps are local LinUCB for all three. After the first release ROBIN's regret is what "
                   "its noise costs.",
                   {}};
  chart.chart = {"Cumulative regret a client, M = 1000, eps 1", "steps", "regret a client"};
  chart.chart.series = {phase_series("robin", "ROBIN", seeds),
                        phase_series("robin-local", "local LinUCB", runs_of(runs.local_twin(drawn_dimension))),
                        phase_series("robin-nonprivate", "federated, not private",
                                     runs_of(runs.nonprivate_twin(drawn_dimension, usual_clients)))};
  return chart;
}

}  // namespace

std::vector<PageFigure> robin_paper_charts(const RobinPaperRuns& runs) {
  std::vector<PageFigure> charts;
  for (const Sweep& sweep : sweeps(runs.options.horizon)) charts.push_back(sweep_figure(runs, sweep));
  if (auto steps = steps_chart(runs)) charts.push_back(std::move(*steps));
  return charts;
}

std::string report_html(const RobinPaperResult& result) {
  ReportPage page;
  page.title = "federated linear bandits with user-level privacy, reproduced";
  page.style = series_style({{"robin", "#1d5c9e", "#7ab4f0"},
                             {"robin-local", "#b8651b", "#e6a55c", "stroke-dasharray: 9 4;"},
                             {"robin-nonprivate", "#2d6a4f", "#7bc8a0", "stroke-dasharray: 3 4;"}});
  page.eyebrow = fmt::format("sotto-lab paper robin &middot; {}", counted(result.runs.options.seeds, "seed"));
  page.heading = "Federated linear bandits with user-level privacy, reproduced";
  page.verdict = escape_html(result.verdict()) + ".";
  page.verdict_failed = !all_passed(result.checks);
  page.about =
      "ROBIN of Huang et al. 2023, <em>Federated Linear Contextual Bandits with User-level Differential Privacy</em>, "
      "on simulated clients: regret of a client against the number of clients, epsilon and the horizon, beside the "
      "same clients without each other and without privacy. Where the private range would misfire, a run is refused. "
      "Noise of these runs is drawn from seeds, so that they can be repeated; it protects nobody.";
  const std::vector<FigureTable> tables = robin_paper_tables(result);
  page.add_tables(std::span(tables).first(1));
  for (const PageFigure& figure : robin_paper_charts(result.runs)) {
    page.sections.push_back({escape_html(figure.heading), paragraph(escape_html(figure.chart.title) + ".") +
                                                              chart_figure(figure.chart, figure.caption)});
  }
  page.add_tables(std::span(tables).subspan(1));
  page.add_end(result.provenance, result.seconds);
  return to_html(page);
}

}  // namespace sotto::apps::lab
