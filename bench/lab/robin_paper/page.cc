#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "sotto/bench/lab/robin_paper/result.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
