// The contents of the page report.html. The strings are markup unless their comment says "text". Text from outside the
// program must go through escape_html().
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

struct Tile {
  std::string name;
  std::string figure;
  std::string remark{};
};

struct PageSection {
  std::string heading;
  std::string content;  // empty sections are hidden
};

struct ReportPage {
  std::string title;    // plain text
  std::string style{};  // CSS that follows the common styles
  std::vector<Alert> alerts{};
  std::string eyebrow{};
  std::string heading{};
  std::string verdict{};
  bool verdict_failed = false;
  std::string about{};
  std::vector<Tile> tiles{};
  std::vector<PageSection> sections{};
  std::string footer{};

  void add_header(const RunHeader& header);
  void add_tables(std::span<const FigureTable> tables);
  void add_end(const Provenance& provenance, double seconds);
};

[[nodiscard]] std::string to_html(const ReportPage& page);
extern const char* const page_style;

struct PageColumn {
  std::string head;
  std::string css_class = "number";
};

// The first cell of a row is the heading of the row.
struct PageTable {
  std::vector<PageColumn> columns;
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::vector<std::string>> foot{};
  std::string css_class{};
};
[[nodiscard]] std::string to_html(const PageTable& table);

[[nodiscard]] std::string paragraph(const std::string& markup);
[[nodiscard]] std::string note(const std::string& markup);
// The caption is text.
[[nodiscard]] std::string chart_figure(const LineChart& chart, const std::string& caption);

struct PageFigure {
  std::string heading;
  std::string caption;
  LineChart chart;
};

[[nodiscard]] ChartSeries series_of(const char* css_name, const char* name, const Curve& curve);
[[nodiscard]] LineChart reward_chart(std::string title, std::vector<ChartSeries> series);

// `line` has further CSS properties, such as "stroke-width: 2".
struct SeriesStyle {
  std::string css_name;
  std::string light;
  std::string dark;
  std::string line{};
  bool band = true;
};
[[nodiscard]] std::string series_style(const std::vector<SeriesStyle>& looks);

[[nodiscard]] std::string parameter_list(const std::vector<std::pair<std::string, std::string>>& parameters);
// `command` is text.
[[nodiscard]] std::string command_block(const std::string& command);

[[nodiscard]] std::string inputs_table(const std::vector<PartyInput>& inputs,
                                       const std::vector<std::pair<std::string, std::string>>& others);
[[nodiscard]] std::string role_cost_table(const std::string& head, const std::vector<RoleCost>& roles);

// The files are renamed into place. Throws ResourceError if a file cannot be written.
void write_run_files(const std::filesystem::path& folder, const std::string& html, const nlohmann::ordered_json& json);

}  // namespace sotto::apps
