// The page report.html as data: alerts, tiles, and sections of paragraphs, figures and tables. All programs render
// these data in the same way. The strings in this header are markup unless their comment says "text". Text from outside
// the program must go through escape_html().
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

// A tile shows a figure of a run with its name above and a remark below.
struct Tile {
  std::string name;
  std::string figure;
  std::string remark{};
};

struct PageSection {
  std::string heading;
  std::string content;  // an empty section is left out
};

struct ReportPage {
  std::string title;    // title of the window: text
  std::string style{};  // CSS that follows the common style sheet
  std::vector<Alert> alerts{};
  std::string eyebrow{};
  std::string heading{};
  std::string verdict{};
  bool verdict_failed = false;
  std::string about{};
  std::vector<Tile> tiles{};
  std::vector<PageSection> sections{};
  std::string footer{};

  // Adds one alert for each insecure switch (for tests only) that was set, one alert for a run that failed, and the
  // footer.
  void add_header(const RunHeader& header);
  // Adds a section to the page for each table.
  void add_tables(std::span<const FigureTable> tables);
  // Adds the last section and the footer to the page of an experiment: the origin of the figures, and the duration.
  void add_end(const Provenance& provenance, double seconds);
};

[[nodiscard]] std::string to_html(const ReportPage& page);
// The style sheet that all pages share.
extern const char* const page_style;

struct PageColumn {
  std::string head;
  std::string css_class = "number";  // CSS class of the column's cells
};

// A table of a page. The first cell of each row is the head of the row.
struct PageTable {
  std::vector<PageColumn> columns;  // if no column has a head, the table has no heads
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::vector<std::string>> foot{};
  std::string css_class{};
};
[[nodiscard]] std::string to_html(const PageTable& table);

[[nodiscard]] std::string paragraph(const std::string& markup);
[[nodiscard]] std::string note(const std::string& markup);
// A <figure> with a legend that shows the last value of each series, the chart at two widths, and the caption (text).
[[nodiscard]] std::string chart_figure(const LineChart& chart, const std::string& caption);

// A chart of a page with its heading and its caption, which are texts.
struct PageFigure {
  std::string heading;
  std::string caption;
  LineChart chart;
};

// The chart series of an average reward by step.
[[nodiscard]] ChartSeries series_of(const char* css_name, const char* name, const Curve& curve);
[[nodiscard]] LineChart reward_chart(std::string title, std::vector<ChartSeries> series);

// The style of all series with the name `css_name`: their colours in light mode and in dark mode, and whether they have
// a band. `line` has further CSS properties of the line, such as "stroke-width: 2".
struct SeriesStyle {
  std::string css_name;
  std::string light;
  std::string dark;
  std::string line{};
  bool band = true;
};
[[nodiscard]] std::string series_style(const std::vector<SeriesStyle>& looks);

// A list of parameters, with names and values.
[[nodiscard]] std::string parameter_list(const std::vector<std::pair<std::string, std::string>>& parameters);
// The HTML that shows the command that made the run; `command` is text. The HTML is empty if the command is not known.
[[nodiscard]] std::string command_block(const std::string& command);

// A table of the input files: the files of the parties, followed by other files with their names. Other files with an
// empty path are left out.
[[nodiscard]] std::string inputs_table(const std::vector<PartyInput>& inputs,
                                       const std::vector<std::pair<std::string, std::string>>& others);
// A table of the costs of the roles. `head` is the heading of the column with the roles. The result is empty if there
// are no roles.
[[nodiscard]] std::string role_cost_table(const std::string& head, const std::vector<RoleCost>& roles);

// Makes the folder if needed. Writes report.html and run.json into the folder, each by rename. Throws ResourceError if
// the folder or a file cannot be written.
void write_run_files(const std::filesystem::path& folder, const std::string& html, const nlohmann::ordered_json& json);

}  // namespace sotto::apps
