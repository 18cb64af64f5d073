#include "apps/o3m/paper/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/data/atomic_file.h"
#include "apps/o3m/paper/charts.h"
#include "apps/o3m/paper/tables.h"
#include "apps/report/markup.h"
#include "apps/report/page_style.h"
#include "apps/report/text.h"
#include "apps/report/writer.h"

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
<title>sotto: vertical federated linear bandits, reproduced</title>
)" + element("style", "", std::string(page_style) + paper_chart_style + own_style) +
         "</head>\n";
}

std::string legend(const LineChart& chart) {
  std::string entries;
  for (const ChartSeries& series : chart.series) {
    if (series.points.empty()) continue;
    const double last = series.points.back().y;
    entries += element(
        "li", "",
        fmt::format(
            R"(<svg viewBox="0 0 28 10" aria-hidden="true"><line class="series series-{}" x1="1" y1="5" )"
            R"(x2="27" y2="5"/></svg>{} <b>{}</b>)",
            series.css_name, escape_html(series.name),
            last < 1e-3 && last > 0 ? fmt::format("{:.1e}", last) : three_digits(last)));
  }
  return element("ul", "legend", entries);
}

std::string figure(const PaperChart& chart) {
  return element("h3", "", escape_html(chart.heading + ": " + chart.chart.title)) +
         element("figure", "",
                 legend(chart.chart) + line_chart_svg(chart.chart, {920, 380}, "wide") +
                     line_chart_svg(chart.chart, {380, 300}, "narrow") +
                     element("figcaption", "", escape_html(chart.caption)));
}

std::string figures(const std::vector<PaperChart>& charts) {
  std::string out;
  for (const PaperChart& chart : charts) out += figure(chart);
  return out;
}

std::string header(const PaperResult& result) {
  const RegretSettings& s = result.options.synthetic;
  const std::string eyebrow =
      fmt::format("sotto o3m paper &middot; d = {}, K = {}, {} steps, {} repeats", s.dimension(),
                  s.arms, human_count(static_cast<double>(s.steps)), s.repeats);
  return element(
      "header", "",
      element("p", "eyebrow", eyebrow) +
          element("h1", "", "Vertical federated linear bandits, reproduced") +
          element("p", result.all_passed() ? "verdict" : "verdict failed",
                  escape_html(result.verdict()) + ".") +
          element(
              "p", "",
              "The experiments of Cao et al. 2022, <em>Vertical Federated Linear Contextual "
              "Bandits</em>, played with this implementation&rsquo;s bandit, mask and fixed point. "
              "Masked contexts lose nothing; what they do not hide is another matter: the active "
              "participant learns norms, distances and inner products of all contexts exactly, and "
              "features themselves from little more. <code>sotto o3m audit</code> shows it."));
}

std::string settings_section(const PaperResult& result) {
  const RegretSettings& s = result.options.synthetic;
  std::string text = fmt::format(
      "Contexts uniform on the unit sphere of {} dimensions for each of {} arms and every step, "
      "theta "
      "uniform on it; features in blocks of {}; beta = {:g}, v = {:g}, ridge {:g}; the noise of "
      "the reward "
      "with a standard deviation and with a variance of 0.05, since the paper does not say which. "
      "All "
      "policies of a repeat meet the same contexts and noise; masked and central bandits share "
      "their ties "
      "and LinTS&rsquo;s draws.",
      s.dimension(), s.arms, fmt::join(s.columns, ", "), s.beta, s.v, s.lambda);
  return titled_section("The synthetic experiment", element("p", "", text));
}

std::string regret_sections(const PaperResult& result) {
  std::string out;
  for (const RegretRuns& runs : result.regret) {
    out += titled_section("Figures 4 and 6, " + noise_name(runs.settings.noise_sd),
                          figures(regret_charts(runs)));
  }
  return out;
}

std::string criteo_section(const PaperResult& result) {
  return titled_section("Figure 6 (c), the Criteo log",
                        result.criteo ? figure(criteo_chart(*result.criteo))
                                      : element("p", "", escape_html(no_criteo)));
}

}  // namespace

std::string paper_html(const PaperResult& result) {
  std::string body = header(result);
  const std::vector<FigureTable> tables = paper_tables(result);
  body += titled_section(escape_html(tables.front().title()), tables.front().to_html());
  body += settings_section(result) + regret_sections(result);
  body += titled_section("Figure 5, costs", figures(cost_charts(result)));
  body += criteo_section(result);
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

void write_paper(const std::filesystem::path& folder, const PaperResult& result) {
  make_run_directory(folder);
  write_file(folder / "report.html", paper_html(result));
  const auto replace = nlohmann::json::error_handler_t::replace;
  write_file(folder / "run.json", to_json(result).dump(2, ' ', false, replace) + "\n");
}

}  // namespace sotto::apps
