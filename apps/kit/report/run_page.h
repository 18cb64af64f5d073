// report.html as data: alerts, tiles, sections of paragraphs, figures and tables, rendered once for all programs. Texts
// are markup unless said otherwise: whatever came from outside goes through escape_html().
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/line_chart.h"
#include "apps/kit/report/markup.h"
#include "apps/kit/report/reward_curve.h"
#include "apps/kit/report/run_header.h"
#include "apps/kit/report/table.h"

namespace sotto::apps {

struct Alert {
  std::string title;
  std::string text;
};

// A figure of a run, with its name above and a remark below.
struct Tile {
  std::string name;
  std::string figure;
  std::string remark{};
};

struct PageSection {
  std::string heading;
  std::string content;  // without any, the section is left out
};

struct ReportPage {
  std::string title;    // of the window: text
  std::string style{};  // after the common one
  std::vector<Alert> alerts{};
  std::string eyebrow{};
  std::string heading{};
  std::string verdict{};
  bool verdict_failed = false;
  std::string about{};
  std::vector<Tile> tiles{};
  std::vector<PageSection> sections{};
  std::string footer{};

  // One alert for each switch for tests that was set, one for a run that failed; the footer.
  void add_header(const RunHeader& header);
  // A section for each table.
  void add_tables(std::span<const FigureTable> tables);
  // The last section and the footer of an experiment: where its figures come from, how long it took.
  void add_end(const Provenance& provenance, double seconds);
};

[[nodiscard]] std::string to_html(const ReportPage& page);
// The style sheet that all pages share.
extern const char* const page_style;

struct PageColumn {
  std::string head;
  std::string css_class = "number";  // of its cells
};

// The first cell of a row is its head.
struct PageTable {
  std::vector<PageColumn> columns;  // without any head, the table has none
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::vector<std::string>> foot{};
  std::string css_class{};
};
[[nodiscard]] std::string to_html(const PageTable& table);

[[nodiscard]] std::string paragraph(const std::string& markup);
[[nodiscard]] std::string note(const std::string& markup);
// A <figure>: a legend with each series' last value, the chart at both widths, the caption (text).
[[nodiscard]] std::string chart_figure(const LineChart& chart, const std::string& caption);

// A chart that a page shows, with what is said of it: texts.
struct PageFigure {
  std::string heading;
  std::string caption;
  LineChart chart;
};

// The average reward so far, by step.
[[nodiscard]] ChartSeries series_of(const char* css_name, const char* name, const Curve& curve);
[[nodiscard]] LineChart reward_chart(std::string title, std::vector<ChartSeries> series);

// How the series of one css name look: a colour in light and in dark mode, what else the line has ("stroke-width: 2"),
// and whether it has a band.
struct SeriesLook {
  std::string css_name;
  std::string light;
  std::string dark;
  std::string line{};
  bool band = true;
};
[[nodiscard]] std::string series_style(const std::vector<SeriesLook>& looks);

// Names and values.
[[nodiscard]] std::string parameter_list(const std::vector<std::pair<std::string, std::string>>& parameters);
// The command that made the run, as text; nothing where it is not known.
[[nodiscard]] std::string command_block(const std::string& command);

// Files of the inputs: those of the parties, then others by name, where they have any.
[[nodiscard]] std::string inputs_table(const std::vector<PartyInput>& inputs,
                                       const std::vector<std::pair<std::string, std::string>>& others);
// `head` is what a role is called. Nothing without any role.
[[nodiscard]] std::string role_cost_table(const std::string& head, const std::vector<RoleCost>& roles);

// Makes the folder if needed; writes report.html and run.json, each by rename. ResourceError where that fails.
void write_run_files(const std::filesystem::path& folder, const std::string& html, const nlohmann::ordered_json& json);

}  // namespace sotto::apps
