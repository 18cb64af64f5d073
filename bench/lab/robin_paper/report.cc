#include "sotto/bench/lab/robin_paper/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/experiment_page.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/bench/lab/robin_paper/charts.h"
#include "sotto/bench/lab/robin_paper/tables.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

std::string figure(const RobinChart& chart) {
  return titled_section(escape_html(chart.heading),
                        element("p", "", escape_html(chart.chart.title) + ".") +
                            chart_figure(chart.chart, chart.caption));
}

std::string header(const RobinPaperResult& result) {
  const bool passed = all_passed(result.checks);
  return element(
      "header", "",
      element("p", "eyebrow",
              fmt::format("sotto-lab paper robin &middot; {}",
                          counted(result.runs.options.seeds, "seed"))) +
          element("h1", "", "Federated linear bandits with user-level privacy, reproduced") +
          element("p", passed ? "verdict" : "verdict failed", escape_html(result.verdict()) + ".") +
          element(
              "p", "",
              "ROBIN of Huang et al. 2023, <em>Federated Linear Contextual Bandits with "
              "User-level Differential Privacy</em>, on simulated clients: regret of a client "
              "against the number of clients, epsilon and the horizon, beside the same clients "
              "without each other and without privacy. Where the private range would misfire, a "
              "run is refused. Noise of these runs is drawn from seeds, so that they can be "
              "repeated; it protects nobody."));
}

}  // namespace

std::string robin_paper_html(const RobinPaperResult& result) {
  std::string body = header(result);
  const std::vector<FigureTable> tables = robin_paper_tables(result);
  body += titled_section(escape_html(tables.front().title()), tables.front().to_html());
  for (const RobinChart& chart : robin_paper_charts(result.runs)) body += figure(chart);
  for (std::size_t i = 1; i < tables.size(); ++i) {
    body += titled_section(escape_html(tables[i].title()), tables[i].to_html());
  }
  body += experiment_end(result.provenance, result.seconds);
  return experiment_page("federated linear bandits with user-level privacy, reproduced",
                         robin_chart_style, body);
}

void write_robin_paper(const std::filesystem::path& folder, const RobinPaperResult& result) {
  write_run_files(folder, robin_paper_html(result), to_json(result));
}

}  // namespace sotto::apps
