#include "apps/robin/paper/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/data/atomic_file.h"
#include "apps/report/markup.h"
#include "apps/report/page_style.h"
#include "apps/report/text.h"
#include "apps/report/writer.h"
#include "apps/robin/paper/charts.h"
#include "apps/robin/paper/tables.h"

namespace sotto::apps {
namespace {

constexpr const char* own_style = R"css(
.verdict.failed { color: var(--danger); }
)css";

std::string head() {
  return R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>sotto: federated linear bandits with user-level privacy, reproduced</title>
)" + element("style", "", std::string(page_style) + robin_chart_style + own_style) +
         "</head>\n";
}

std::string legend(const LineChart& chart) {
  std::string entries;
  for (const ChartSeries& series : chart.series) {
    if (series.points.empty()) continue;
    entries += element(
        "li", "",
        fmt::format(
            R"(<svg viewBox="0 0 28 10" aria-hidden="true"><line class="series series-{}" x1="1" y1="5" )"
            R"(x2="27" y2="5"/></svg>{} <b>{}</b>)",
            series.css_name, escape_html(series.name), three_digits(series.points.back().y)));
  }
  return element("ul", "legend", entries);
}

std::string figure(const RobinChart& chart) {
  return titled_section(
      escape_html(chart.heading),
      element("p", "", escape_html(chart.chart.title) + ".") +
          element("figure", "",
                  legend(chart.chart) + line_chart_svg(chart.chart, {920, 380}, "wide") +
                      line_chart_svg(chart.chart, {380, 300}, "narrow") +
                      element("figcaption", "", escape_html(chart.caption))));
}

std::string header(const RobinPaperResult& result) {
  const bool passed = all_passed(result.checks);
  return element(
      "header", "",
      element("p", "eyebrow",
              fmt::format("sotto robin paper &middot; {} seeds", result.runs.options.seeds)) +
          element("h1", "", "Federated linear bandits with user-level privacy, reproduced") +
          element("p", passed ? "verdict" : "verdict failed",
                  escape_html(verdict(result.checks)) + ".") +
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
  body += titled_section("Where they come from",
                         element("pre", "", escape_html(to_text(result.provenance))));
  body += element("footer", "",
                  fmt::format("{} in all &middot; all figures of this page are in run.json",
                              human_seconds(result.seconds)));
  return head() + "<body>\n" + element("main", "", body) + "</body>\n</html>\n";
}

void write_robin_paper(const std::filesystem::path& folder, const RobinPaperResult& result) {
  make_run_directory(folder);
  write_file(folder / "report.html", robin_paper_html(result));
  const auto replace = nlohmann::json::error_handler_t::replace;
  write_file(folder / "run.json", to_json(result).dump(2, ' ', false, replace) + "\n");
}

}  // namespace sotto::apps
