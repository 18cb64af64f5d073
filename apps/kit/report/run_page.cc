#include "apps/kit/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/files/atomic_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/json_text.h"
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
  for (const CurvePoint& point : curve) {
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

std::string series_style(const std::vector<SeriesLook>& looks) {
  std::string light, dark, rules;
  for (const SeriesLook& look : looks) {
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

}  // namespace sotto::apps
