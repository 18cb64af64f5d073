#include "apps/kit/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/report/human.h"

namespace sotto::apps {
namespace {

std::string joined(const auto& items, auto markup_of) {
  std::string out;
  for (const auto& item : items) out += markup_of(item);
  return out;
}

std::string alert(const Alert& alert) {
  return R"(<div class="alert" role="alert"><strong>)" + alert.title + "</strong>" + paragraph(alert.text) + "</div>\n";
}

std::string header(const ReportPage& page) {
  std::string out = element("p", "eyebrow", page.eyebrow) + element("h1", "", page.heading);
  if (!page.verdict.empty()) {
    out += element("p", page.verdict_failed ? "verdict failed" : "verdict", page.verdict);
  }
  if (!page.about.empty()) out += paragraph(page.about);
  return element("header", "", out);
}

std::string tile(const Tile& tile) {
  return element(
      "div", "tile",
      element("dt", "", tile.name) + element("dd", "figure", tile.figure) + element("dd", "sub", tile.remark));
}

std::string section(const PageSection& section) {
  return section.content.empty() ? "" : titled_section(section.heading, section.content);
}

std::string legend_entry(const ChartSeries& series) {
  if (series.points.empty()) return {};
  const double last = series.points.back().y;
  const std::string value = last > 0 && last < 1e-3 ? fmt::format("{:.1e}", last)
                            : last >= 1000          ? three_digits(last)
                                                    : fmt::format("{:.4g}", last);
  return element("li", "",
                 fmt::format(R"(<svg viewBox="0 0 28 10" aria-hidden="true"><line class="series series-{}" )"
                             R"(x1="1" y1="5" x2="27" y2="5"/></svg>{} <b>{}</b>)",
                             series.css_name, escape_html(series.name), value));
}

std::string head_cell(const PageColumn& column) {
  const bool aligned = column.css_class == "number" || column.css_class.starts_with("bar-cell");
  return fmt::format(R"(<th scope="col"{}>{}</th>)", aligned ? fmt::format(R"( class="{}")", column.css_class) : "",
                     column.head);
}

std::string table_row(const std::vector<PageColumn>& columns, const std::vector<std::string>& cells) {
  std::string out = R"(<th scope="row">)" + cells.front() + "</th>";
  for (std::size_t i = 1; i < cells.size(); ++i) {
    out += element("td", columns[i].css_class, cells[i]);
  }
  return element("tr", "", out);
}

}  // namespace

void ReportPage::add_header(const RunHeader& header) {
  for (const std::string& flag : header.insecure) {
    alerts.push_back({"Insecure run: " + escape_html(flag),
                      "A switch for tests was set. Nothing on this page about protection holds for this run; never use "
                      "it with real data."});
  }
  const std::string why = escape_html(header.error.value_or("No reason was recorded."));
  if (header.status == RunStatus::failed) alerts.push_back({"This run failed", why});
  if (header.status == RunStatus::refused) {
    alerts.push_back({"This run was refused", why + " Nothing was released and nothing spent."});
  }
  footer = "sotto";
  if (!header.version.empty()) footer += " " + escape_html(header.version);
  if (!header.started.empty()) footer += " &middot; started " + escape_html(header.started);
  footer += " &middot; all figures of this page are in run.json";
}

void ReportPage::add_tables(std::span<const FigureTable> tables) {
  for (const FigureTable& table : tables) {
    sections.push_back({escape_html(table.title()), table.to_html()});
  }
}

void ReportPage::add_end(const Provenance& provenance, double seconds) {
  sections.push_back({"Where they come from", element("pre", "", escape_html(to_text(provenance)))});
  footer = fmt::format("<span class=\"together\">{}</span> in all &middot; all figures of this page are in run.json",
                       human_seconds(seconds));
}

std::string to_html(const ReportPage& page) {
  std::string body = joined(page.alerts, alert) + header(page);
  if (!page.tiles.empty()) body += element("dl", "tiles", joined(page.tiles, tile));
  body += joined(page.sections, section);
  if (!page.footer.empty()) body += element("footer", "", page.footer);
  return R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>sotto: )" +
         escape_html(page.title) + "</title>\n" + element("style", "", page_style + page.style) + "</head>\n<body>\n" +
         element("main", "", body) + "</body>\n</html>\n";
}

std::string to_html(const PageTable& table) {
  const auto row = [&](const auto& cells) { return table_row(table.columns, cells); };
  std::string out;
  if (std::any_of(table.columns.begin(), table.columns.end(),
                  [](const PageColumn& column) { return !column.head.empty(); })) {
    out += element("thead", "", element("tr", "", joined(table.columns, head_cell)));
  }
  out += element("tbody", "", joined(table.rows, row));
  if (!table.foot.empty()) out += element("tfoot", "", joined(table.foot, row));
  return element("div", "scroll", element("table", table.css_class, out));
}

std::string paragraph(const std::string& markup) { return element("p", "", markup); }
std::string note(const std::string& markup) { return element("p", "note", markup); }

std::string chart_figure(const LineChart& chart, const std::string& caption) {
  return element("figure", "",
                 element("ul", "legend", joined(chart.series, legend_entry)) +
                     line_chart_svg(chart, {920, 380}, "wide") + line_chart_svg(chart, {380, 300}, "narrow") +
                     element("figcaption", "", escape_html(caption)));
}

ChartSeries series_of(const char* css_name, const char* name, const Curve& curve) {
  ChartSeries series{css_name, name, {}};
  // The mean of the first few rewards says nothing.
  constexpr std::uint64_t least_rewards = 25;
  const bool is_long = !curve.empty() && curve.back().step >= 10 * least_rewards;
  for (const CurvePoint& point : curve) {
    if (is_long && point.step < least_rewards) continue;
    series.points.push_back({static_cast<double>(point.step), point.average_reward, point.sd});
  }
  return series;
}

LineChart reward_chart(std::string title, std::vector<ChartSeries> series) {
  LineChart chart;
  chart.title = std::move(title);
  chart.x_label = "steps";
  chart.y_label = "average reward so far";
  chart.series = std::move(series);
  return chart;
}

std::string series_style(const std::vector<SeriesStyle>& looks) {
  std::string light, dark, rules;
  for (const SeriesStyle& look : looks) {
    const std::string& name = look.css_name;
    light += fmt::format("--{}: {}; ", name, look.light);
    dark += fmt::format("--{}: {}; ", name, look.dark);
    rules += fmt::format(".series-{0} {{ stroke: var(--{0}); {1} }}\n", name, look.line) +
             fmt::format(".dot-{0} {{ fill: var(--{0}); }}\n", name) +
             (look.band ? fmt::format(".band-{0} {{ fill: var(--{0}); opacity: .14; }}\n", name)
                        : fmt::format(".band-{} {{ fill: none; }}\n", name));
  }
  return fmt::format("\n:root {{ {}}}\n@media (prefers-color-scheme: dark) {{ :root {{ {}}} }}\n{}", light, dark,
                     rules);
}

std::string parameter_list(const std::vector<std::pair<std::string, std::string>>& parameters) {
  return element("dl", "parameters", joined(parameters, [](const auto& parameter) {
                   return element("div", "", element("dt", "", parameter.first) + element("dd", "", parameter.second));
                 }));
}

std::string command_block(const std::string& command) {
  if (command.empty()) return {};
  return element("h3", "", "Command") + element("pre", "", element("code", "", escape_html(command)));
}

std::string inputs_table(const std::vector<PartyInput>& inputs,
                         const std::vector<std::pair<std::string, std::string>>& others) {
  PageTable table{{{"Input", ""}, {"File", "file"}, {"Features"}, {"Norm bound"}}};
  for (const PartyInput& input : inputs) {
    table.rows.push_back({escape_html(input.name), escape_html(input.file), std::to_string(input.features),
                          fmt::format("{:g}", input.max_norm)});
  }
  for (const auto& [name, file] : others) {
    if (!file.empty()) table.rows.push_back({name, escape_html(file), "", ""});
  }
  return table.rows.empty() ? "" : to_html(table);
}

std::string role_cost_table(const std::string& head, const std::vector<RoleCost>& roles) {
  if (roles.empty()) return {};
  PageTable table{{{head, ""}, {"Sent"}, {"CPU time"}, {"Memory"}}};
  for (const RoleCost& role : roles) {
    table.rows.push_back({escape_html(role.role), human_bytes(static_cast<double>(role.bytes_sent.value_or(0))),
                          human_seconds(role.cpu_seconds), human_bytes(static_cast<double>(role.peak_memory_bytes))});
  }
  return to_html(table);
}

void write_run_files(const std::filesystem::path& folder, const std::string& html, const nlohmann::ordered_json& json) {
  make_run_directory(folder);
  write_file(folder / "report.html", html);
  write_file(folder / "run.json", json_text(json, 2) + "\n");
}

// For readers who cannot tell hues apart, the series also differ in lightness and dash.
const char* const page_style = R"css(
:root {
  color-scheme: light dark;
  --page: #faf9f7; --card: #ffffff; --ink: #1d2126; --soft: #5b626b; --line: #e3e1dc;
  --private: #1d5c9e; --plaintext: #b8651b; --fill: #1d5c9e; --track: #eeece7;
  --good: #2d6a4f; --danger: #a3221a; --danger-page: #fdeeec;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --serif: "Iowan Old Style", Charter, "Palatino Linotype", Palatino, "Liberation Serif", Georgia, serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1b1f24; --ink: #e7e5e0; --soft: #a0a7b0; --line: #2e343b;
    --private: #7ab4f0; --plaintext: #e6a55c; --fill: #5b97d6; --track: #272c33;
    --good: #7bc8a0; --danger: #ff9d94; --danger-page: #3a1c1a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 var(--sans); }
main { max-width: 1020px; margin: 0 auto; padding: 48px 32px 64px; }
h1 { font: 400 40px/1.15 var(--serif); letter-spacing: -.01em; margin: 4px 0 12px; }
h2 { font: 400 25px/1.25 var(--serif); margin: 0 0 6px; }
h3 { font-size: 15px; font-weight: 600; margin: 24px 0 6px; }
p { margin: 0 0 12px; max-width: 46em; }
.eyebrow { font-size: 14.5px; letter-spacing: .03em; color: var(--soft); margin: 0; }
.verdict { font-size: 19px; line-height: 1.5; margin: 0 0 8px; max-width: 42em; }
.verdict.failed { color: var(--danger); }
.note { color: var(--soft); font-size: 14.5px; }
section { margin-top: 52px; }
strong { font-weight: 600; }
code, pre { font-family: var(--mono); font-size: .88em; }
code { overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.alert { border: 2px solid var(--danger); background: var(--danger-page); color: var(--danger); border-radius: 8px;
  padding: 14px 18px; margin: 0 0 24px; }
.alert strong { display: block; font-size: 17px; letter-spacing: .02em; }
.alert p { margin: 2px 0 0; }

.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px; margin: 32px 0 0; padding: 0;
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.tile { outline: 1px solid var(--line); padding: 16px 18px 15px; min-width: 0; display: flex; flex-direction: column; }
.tile dt { font-size: 13.5px; color: var(--soft); }
.tile dd { margin: 0; }
.tile .figure { font: 400 30px/1.25 var(--serif); font-variant-numeric: tabular-nums lining-nums; white-space: nowrap; }
.tile .sub { font-size: 13.5px; line-height: 1.4; color: var(--soft); }

figure { margin: 14px 0 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 18px 12px; }
figcaption { color: var(--soft); font-size: 14px; margin-top: 8px; max-width: 56em; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 26px; margin: 0 0 8px; padding: 0; list-style: none; font-size: 14.5px; }
.legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
.legend svg { width: 28px; height: 10px; margin-right: 8px; vertical-align: 1px; }
.chart { width: 100%; height: auto; display: block; font: 13px var(--sans); }
.chart.narrow { display: none; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.baseline { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 1.5 4; stroke-linecap: round; }
.tick, .label { fill: var(--soft); font-variant-numeric: tabular-nums; }
.series { fill: none; stroke-width: 2.4; stroke-linejoin: round; stroke-linecap: round; }
.series-private { stroke: var(--private); }
.series-plaintext { stroke: var(--plaintext); stroke-dasharray: 7 5; stroke-width: 2; }
.hit rect { fill: transparent; }
.hit g { visibility: hidden; pointer-events: none; }
.hit:hover g { visibility: visible; }
.hit text { fill: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; paint-order: stroke; stroke: var(--card); stroke-width: 5px; }
.dot-private { fill: var(--private); }
.dot-plaintext { fill: var(--plaintext); }
.band-private { fill: var(--private); opacity: .14; }
.band-plaintext { fill: var(--plaintext); opacity: .14; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 15px; margin: 10px 0 0; }
th, td { text-align: left; vertical-align: top; padding: 8px 18px 8px 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 500; font-size: 13.5px; color: var(--soft); vertical-align: bottom; }
tbody th { font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tfoot td, tfoot th { font-weight: 600; border-bottom: 0; }
.bar-cell { width: 30%; min-width: 110px; }
.bar { height: 10px; margin-top: 7px; background: var(--track); border-radius: 3px; overflow: hidden;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar i { display: block; height: 100%; min-width: 2px; background: var(--fill); border-radius: 3px; }
.dots { position: relative; height: 12px; margin: 6px 8px 0; border-bottom: 1px solid var(--line);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.dots i { position: absolute; top: 5px; height: 2px; min-width: 2px; background: var(--soft); }
.dots b { position: absolute; top: 1px; width: 10px; height: 10px; margin-left: -5px; border-radius: 50%;
  background: var(--soft); }
.dots.own i, .dots.own b { background: var(--private); }
.file { overflow-wrap: anywhere; }

.flow { display: grid; grid-template-columns: 1fr 44px 1.15fr 44px 1fr; align-items: center; margin: 18px 0 22px; }
.flow .stack { display: grid; gap: 10px; }
.box { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 11px 14px; font-size: 14px;
  line-height: 1.4; min-width: 0; overflow-wrap: anywhere; }
.box b { display: block; font-weight: 600; font-size: 15px; }
.box span { color: var(--soft); }
.box.core { border: 1.5px solid var(--private); border-radius: 0 0 8px 8px; text-align: center; padding: 18px 16px; }
.box.dealer { border: 1.5px dashed var(--soft); border-bottom: 0; border-radius: 8px 8px 0 0; text-align: center; }
.flow .joined { gap: 0; }
.arrow { text-align: center; color: var(--soft); font-size: 21px; line-height: 1.1; }
.arrow::before { content: attr(data-wide); }
.views ul { margin: 0; padding: 0; list-style: none; }
.views th { width: 24%; }
.views td { width: 38%; }
.sees, .blind { padding-left: 18px; position: relative; }
.sees::before { content: ""; position: absolute; left: 1px; top: .55em; width: 8px; height: 8px; border-radius: 50%;
  background: var(--ink); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.blind { color: var(--soft); }
.blind::before { content: ""; position: absolute; left: 1px; top: .55em; width: 8px; height: 8px; border-radius: 50%;
  border: 1px solid var(--soft); }

.statement { border-left: 3px solid var(--private); padding: 2px 0 2px 20px; margin-top: 16px; }
.statement p:last-child { margin-bottom: 0; }
sup { line-height: 0; }
.together { white-space: nowrap; }
.formula { font: italic 20px/1.5 var(--serif); margin: 4px 0 12px; }
.parameters { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 0 36px; margin: 10px 0 0; }
.parameters div { display: flex; justify-content: space-between; gap: 12px; border-bottom: 1px solid var(--line); padding: 7px 0; }
.parameters dt { color: var(--soft); }
.parameters dd { margin: 0; font-variant-numeric: tabular-nums; text-align: right; overflow-wrap: anywhere; }
footer { margin-top: 56px; padding-top: 16px; border-top: 1px solid var(--line); color: var(--soft); font-size: 13.5px; }

@media screen and (max-width: 760px) {
  main { padding: 28px 18px 44px; }
  h1 { font-size: 31px; }
  .verdict { font-size: 17px; }
  section { margin-top: 40px; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  .tile { padding: 13px 14px 12px; }
  .tile .figure { font-size: 25px; }
  figure { padding: 14px 10px 10px; }
  .chart.wide { display: none; }
  .chart.narrow { display: block; }
  .flow { grid-template-columns: 1fr; }
  .arrow { padding: 4px 0; }
  .arrow::before { content: attr(data-narrow); }
  .views, .views tbody, .views tr, .views th, .views td { display: block; width: auto; border: 0; padding: 0; }
  .views thead { display: none; }
  .views tr { border-bottom: 1px solid var(--line); padding: 10px 0; }
  .views td { padding-top: 4px; }
  .optional { display: none; }
  th, td { padding-right: 12px; }
}
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc;
    --private: #1d5c9e; --plaintext: #b8651b; --fill: #1d5c9e; --track: #eee; --danger: #a3221a; --danger-page: #fff; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  section { margin-top: 26pt; }
  figure, tr, .tiles, .flow, .statement, .parameters { break-inside: avoid; }
  .tiles { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3 { break-after: avoid; }
}
)css";

}  // namespace sotto::apps
