#include "sotto/bench/lab/measure/wan.h"

#include <fmt/format.h>

#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/report/run_page.h"

namespace sotto::apps {
namespace {

// Lines of one colour belong together: measured whole, the model's dashed on top of it.
constexpr const char* line_style =
    R"(.series-s0, .series-m0 { stroke: #1d5c9e; } .series-s1, .series-m1 { stroke: #b8651b; }
.series-s2, .series-m2 { stroke: #2d6a4f; } .series-s3, .series-m3 { stroke: #8a3d8f; }
.series-s4, .series-m4 { stroke: #a3221a; } .series-s5, .series-m5 { stroke: #5b626b; }
.series { opacity: .85; }
[class*="series-m"] { stroke-dasharray: 3 5; stroke: #1d2126; stroke-width: 1.6; opacity: 1; }
)";

constexpr const char* alone_style =
    R"(svg { background: #ffffff; font: 13px system-ui, "Liberation Sans", Arial, sans-serif; }
.grid { stroke: #e3e1dc; } .axis { stroke: #5b626b; } .tick, .label { fill: #5b626b; }
.series { fill: none; stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
)";

constexpr const char* page_style_of_lines =
    R"(.chart.plot { display: block; }
pre { white-space: pre; overflow-x: auto; }
@media (prefers-color-scheme: dark) { [class*="series-m"] { stroke: #e7e5e0; } }
)";

constexpr ChartSize size{760, 380};

// Names of the measured lines, beside a stroke of their colour, from the top left.
std::string legend(const LineChart& chart) {
  std::string out;
  double y = 26;
  const auto entry = [&](const std::string& css_name, const std::string& name) {
    out += fmt::format(
        R"(<line class="series series-{}" x1="66" y1="{}" x2="92" y2="{}"/><text class="label" x="100" y="{}">{}</text>)",
        css_name, y, y, y + 4.5, escape_html(name));
    out += '\n';
    y += 20;
  };
  for (std::size_t i = 0; i < chart.series.size(); i += 2) {
    entry(chart.series[i].css_name, chart.series[i].name);
  }
  if (chart.series.size() > 1) entry(chart.series[1].css_name, "model");
  return out;
}

std::string with_legend(const WanChart& chart) {
  std::string svg = line_chart_svg(chart.chart, size, "plot");
  return svg.insert(svg.rfind("</svg>"), legend(chart.chart));
}

}  // namespace

std::string wan_svg(const WanChart& chart) {
  std::string svg = with_legend(chart);
  const std::string style =
      element("style", "", std::string(alone_style) + line_style + ".hit { display: none; }\n");
  svg.insert(svg.find('>') + 1, style);
  return svg.insert(svg.find("<svg") + 4, R"( xmlns="http://www.w3.org/2000/svg")");
}

std::string wan_html(const Page& figures, const std::vector<WanChart>& charts) {
  ReportPage page;
  page.title = "the bandit over a wide area";
  page.style = std::string(line_style) + page_style_of_lines;
  page.eyebrow = "sotto-lab bench wan";
  page.heading = escape_html(figures.title);
  page.about = escape_html(figures.about);
  for (const WanChart& chart : charts) {
    page.sections.push_back(
        {escape_html(chart.chart.title), element("figure", "", with_legend(chart))});
  }
  for (const FigureTable& table : figures.tables) {
    page.sections.push_back({"Figures", element("pre", "", escape_html(table.to_text()))});
  }
  page.sections.push_back(
      {"Where they come from", element("pre", "", escape_html(to_text(figures.provenance)))});
  return to_html(page);
}

void write_wan(const std::filesystem::path& folder, const Page& page,
               const std::vector<WanChart>& charts) {
  std::string markdown = to_markdown(page);
  for (const WanChart& chart : charts) {
    const std::string name = fmt::format("wan-{}.svg", chart.key);
    write_file(folder / name, wan_svg(chart));
    markdown += fmt::format("\n![{}]({})\n", chart.chart.title, name);
  }
  write_file(folder / "wan.html", wan_html(page, charts));
  write_file(folder / "wan.md", markdown);
}

}  // namespace sotto::apps
