#include "sotto/apps/kit/report/experiment_page.h"

#include <fmt/format.h>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {
namespace {

constexpr const char* verdict_style = R"css(
.verdict.failed { color: var(--danger); }
)css";

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

}  // namespace

std::string experiment_page(const std::string& title, const std::string& style,
                            const std::string& body) {
  return run_page(title, style + verdict_style, body);
}

std::string chart_figure(const LineChart& chart, const std::string& caption) {
  return element("figure", "",
                 legend(chart) + line_chart_svg(chart, {920, 380}, "wide") +
                     line_chart_svg(chart, {380, 300}, "narrow") +
                     element("figcaption", "", escape_html(caption)));
}

std::string experiment_end(const Provenance& provenance, double seconds) {
  return titled_section("Where they come from",
                        element("pre", "", escape_html(to_text(provenance)))) +
         element("footer", "",
                 fmt::format("<span class=\"together\">{}</span> in all &middot; all figures of "
                             "this page are in run.json",
                             human_seconds(seconds)));
}

}  // namespace sotto::apps
