#include "bench/lab/experiment.h"

#include <unistd.h>

#include <cstdio>
#include <mutex>

#include "apps/kit/files/output_file.h"
#include "apps/kit/learn/tasks.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/publish.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::lab {

using nlohmann::ordered_json;

void Runner::play(std::vector<Piece> pieces, const std::string& noun, const std::string& where) const {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.cost > b.cost; });
  std::atomic<std::size_t> done{0};
  std::mutex line;
  run_tasks(pieces.size(), core_count(), stop_, [&](std::size_t i) {
    pieces[i].work();
    const std::size_t so_far = ++done;
    const std::lock_guard lock(line);
    report(fmt::format("{} of {}{}", so_far, counted(pieces.size(), noun), where));
  });
}

ordered_json to_json(const Experiment& experiment) {
  ordered_json json = experiment.first.is_null() ? ordered_json::object() : experiment.first;
  json["experiment"] = experiment.name;
  json["status"] = "complete";
  if (!experiment.verdict.empty()) {
    json["verdict"] = experiment.verdict;
    json["all_passed"] = all_passed(experiment.checks);
  }
  json["seconds"] = experiment.seconds;
  json["provenance"] = to_json(experiment.provenance);
  json["settings"] = experiment.settings;
  json["tables"] = ordered_json::object();
  for (const FigureTable& table : experiment.tables) json["tables"][table.key()] = table.to_json();
  if (!experiment.rest.is_null()) json.update(experiment.rest);
  return json;
}

std::string summary_text(const Experiment& experiment, const TextOptions& options) {
  std::string text = experiment.before;
  for (const FigureTable& table : experiment.tables) {
    if (!experiment.long_tables.contains(table.key())) text += table.to_text() + "\n";
  }
  if (experiment.after) text += experiment.after(options);
  return experiment.verdict.empty() ? text : text + experiment.verdict + ".\n";
}

std::string report_html(const Experiment& experiment) {
  ReportPage page = experiment.page;
  if (!experiment.verdict.empty()) page.verdict = escape_html(experiment.verdict) + ".";
  page.verdict_failed = !all_passed(experiment.checks);
  if (!experiment.parameters.empty()) {
    page.sections.push_back(
        {"Settings and data", parameter_list(experiment.parameters) + command_block(experiment.provenance.command)});
  }
  page.add_end(experiment.provenance, experiment.seconds);
  return to_html(page);
}

void publish(const Experiment& experiment, const std::filesystem::path& folder, bool json) {
  if (!folder.empty() && experiment.record) {
    write_file(folder / (experiment.record->name + ".md"), to_markdown(*experiment.record));
  }
  const bool passed = !experiment.must_pass || all_passed(experiment.checks);
  if (!folder.empty()) write_run(folder, experiment);
  if (passed || !json) apps::show(experiment, json);
  if (!json) std::fputs(files_of_run(folder).c_str(), stdout);
  if (!passed) throw FailedRun(figures_off, experiment.verdict, to_json(experiment));
}

void add_charts(ReportPage& page, const std::vector<PageFigure>& charts) {
  for (const PageFigure& figure : charts) {
    page.sections.push_back({escape_html(figure.heading), paragraph(escape_html(figure.chart.title) + ".") +
                                                              chart_figure(figure.chart, figure.caption)});
  }
}

ChartSeries& series_named(LineChart& chart, const std::string& name, const std::vector<SeriesStyle>& looks) {
  const auto known = std::find_if(chart.series.begin(), chart.series.end(),
                                  [&](const ChartSeries& series) { return series.name == name; });
  if (known != chart.series.end()) return *known;
  chart.series.push_back({looks.at(chart.series.size() % looks.size()).css_name, name, {}});
  return chart.series.back();
}

void add_output_options(Command& command, LabOutput& output, const std::string& help, const std::string& type) {
  command.add_flag("--json", output.json, "Print one JSON object");
  command.add_option("--out", output.out, help)->type_name(type);
  add_overwrite(command, output.overwrite);
}

Option* add_parties(Command& command, std::vector<std::size_t>& parties) {
  return command.add_option("--parties", parties, "Compute parties, 2 to 8; several in turn")
      ->separated_by(',')
      ->number(whole(2, max_parties));
}

void add_features(Command& command, std::size_t& features) {
  command.add_option("--features", features, "Features of a context", whole(2, 1024));
}

void add_first_seed(Command& command, std::uint64_t& seed, const std::string& of_what) {
  command.add_option("--seed", seed, fmt::format("Seed of the first {}; the next ones count on", of_what),
                     whole(0, std::uint64_t{1} << 62));
}

void show(const Page& page, const LabOutput& output) {
  show_progress("");
  if (!output.out.empty()) write_file(output.out, to_markdown(page));
  const std::string text = output.json ? json_text(to_json(page), 2) + "\n" : to_text(page);
  std::fputs(text.c_str(), stdout);
}

void show_progress(const std::string& doing) {
  if (::isatty(STDERR_FILENO) == 0) return;
  say_part(fmt::format("\r\x1b[K{}", doing));
}

}  // namespace sotto::apps::lab
