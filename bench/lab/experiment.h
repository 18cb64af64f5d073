// The code that all commands of sotto-lab share. The result of a measurement is a page of tables. An experiment plays
// cells, each with its own setting, and compares the results of the cells with a reference. An experiment writes the
// same figures as text, as run.json and as report.html.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/files/json.h"
#include "apps/kit/learn/mean.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/run_page.h"
#include "bench/lab/lab_commands.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

// A part of an experiment that can run at the same time as all other parts.
struct Piece {
  std::function<void()> work;
  double cost = 0;  // in any unit
};

// Plays the pieces of an experiment, shows the current work, and stops on request. The clock of a Runner starts at its
// construction.
class Runner {
 public:
  using Tell = std::function<void(const std::string&)>;

  // `stop` must outlive this object.
  Runner(Tell tell, const std::atomic<bool>& stop) : tell_(std::move(tell)), stop_(stop) {}

  void tell(const std::string& doing) const { tell_(doing); }
  [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
  [[nodiscard]] double seconds() const { return seconds_since(start_); }
  // Plays all pieces on all cores, the most costly ones first. After each piece, play() shows a line like "3 of 12
  // runs" followed by `where`. Throws the errors of the pieces, and Interrupted.
  void play(std::vector<Piece> pieces, const std::string& noun, const std::string& where = "") const;

 private:
  Tell tell_;
  const std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The results of an experiment.
struct Experiment {
  std::string name;  // name in run.json, which also has settings, tables and the results of the checks
  nlohmann::ordered_json settings{};
  nlohmann::ordered_json first{};  // further fields at the start of run.json; a null marks a common field's place
  nlohmann::ordered_json rest{};   // further fields at the end of run.json
  std::vector<Check> checks{};
  std::string verdict{};  // empty: there is no reference
  std::vector<FigureTable> tables{};
  ReportPage page{};  // the page without the verdict, the settings and the provenance
  std::vector<std::pair<std::string, std::string>> parameters{};  // names and values for the page's section of settings
  // The text of an experiment consists of `before`, the tables that are not in `long_tables`, `after`, and the verdict.
  std::string before{};
  std::set<std::string> long_tables{};
  std::function<std::string(const TextOptions&)> after{};
  std::optional<Page> record{};  // if given, written next to the report as NAME.md
  bool must_pass = false;        // the command fails if a check fails
  double seconds = 0;
  Provenance provenance{};
};

[[nodiscard]] nlohmann::ordered_json to_json(const Experiment& experiment);
[[nodiscard]] std::string summary_text(const Experiment& experiment, const TextOptions& = {});
// The report as one HTML page that loads nothing from elsewhere.
[[nodiscard]] std::string report_html(const Experiment& experiment);

// Writes the files of an experiment into the folder, if given, and shows the experiment. Throws FailedRun with exit
// code 1 at the end if the experiment must pass and a check failed. With --json, the program then prints only the
// object of this error.
void publish(const Experiment& experiment, const std::filesystem::path& folder, bool json);

// For each chart, adds a section to the page.
void add_charts(ReportPage& page, const std::vector<PageFigure>& charts);
// Returns the chart's line with the given name. If the chart has no such line, adds a line with the next style in
// `looks`.
ChartSeries& series_named(LineChart& chart, const std::string& name, const std::vector<SeriesStyle>& looks);
// A point at the mean. If there are several runs, the point has a band of one standard deviation.
[[nodiscard]] inline ChartPoint mean_point(double x, const MeanAndSd& value, std::size_t runs) {
  return {x, value.mean, runs > 1 ? std::optional(value.sd) : std::nullopt};
}

// The values of `figure` for each run. `figure` is a member or a function of a run.
template <class Runs, class Figure>
[[nodiscard]] std::vector<double> each(const Runs& runs, Figure figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const auto& run : runs) values.push_back(std::invoke(figure, run));
  return values;
}
template <class Runs, class Figure>
[[nodiscard]] MeanAndSd mean_over(const Runs& runs, Figure figure) {
  return mean_and_sd(each(runs, figure));
}
// The standard error of a mean.
[[nodiscard]] inline double standard_error(const MeanAndSd& mean, std::size_t runs) {
  return mean.sd / std::sqrt(static_cast<double>(runs));
}

struct LabOutput {
  bool json = false;
  std::filesystem::path out;  // a measurement's page, or the folder of an experiment's files; empty: none is written
  bool overwrite = false;
};

// Declares --json, --out and --overwrite; `output` is filled when the command line is parsed.
void add_output_options(Command& command, LabOutput& output,
                        const std::string& help = "Write a Markdown page of the same figures as well",
                        const std::string& type = "FILE");

// The three functions below declare options: --parties, a list; --features, the number of features of a context;
// --seed, the seed of the first of several runs or repeats.
Option* add_parties(Command& command, std::vector<std::size_t>& parties);
void add_features(Command& command, std::size_t& features);
void add_first_seed(Command& command, std::uint64_t& seed, const std::string& of_what);

// Shows tables or JSON on stdout, and with --out writes a page for bench/results/. Throws ResourceError if the page
// cannot be written.
void show(const Page& page, const LabOutput& output);

// Shows one line on stderr about the current work if stderr is a terminal; if `doing` is empty, clears the line.
void show_progress(const std::string& doing);

// Adds `sotto-lab bench NAME`. `declare` adds the command's own options. `measure` runs after the output file was
// checked, and returns the page without its provenance.
template <class Arguments>
void add_measurement(Command& bench, const std::string& name, const std::string& about, const std::string& footer,
                     void (*declare)(Command&, Arguments&), Page (*measure)(const Arguments&)) {
  Command* command = bench.add_subcommand(name, about);
  const auto arguments = std::make_shared<Arguments>();
  const auto output = std::make_shared<LabOutput>();
  declare(*command, *arguments);
  add_output_options(*command, *output);
  command->footer(footer);
  command->callback([arguments, output, measure] {
    catch_interrupts();
    check_out_file(output->out, output->overwrite);
    const Provenance provenance = take_provenance();
    Page page = measure(*arguments);
    page.provenance = provenance;
    show(page, *output);
  });
}

// Returns those tables of a measurement that have rows.
[[nodiscard]] inline std::vector<FigureTable> with_rows(std::vector<FigureTable> tables) {
  std::erase_if(tables, [](const FigureTable& table) { return table.rows() == 0; });
  return tables;
}

// The exit code of an experiment with a figure outside its tolerance. A figure outside its tolerance is not an error of
// the program or of the user.
inline constexpr ExitCode figures_off{1};

using Play = std::function<Experiment(const Runner&)>;

// Makes `command` play an experiment. `declare` adds the command's own options, and `plan` refuses invalid arguments.
// The plan is played once the experiment's output folder has been checked.
template <class Arguments>
void add_experiment(Command& command, const std::string& footer, void (*declare)(Command&, Arguments&),
                    Play (*plan)(const Arguments&)) {
  const auto arguments = std::make_shared<Arguments>();
  const auto output = std::make_shared<LabOutput>();
  declare(command, *arguments);
  add_run_output(command, output->out, output->overwrite, output->json);
  command.footer(footer);
  command.callback([arguments, output, plan] {
    const Play play = plan(*arguments);
    catch_interrupts();
    const Provenance provenance = take_provenance();
    const std::filesystem::path folder = results_folder(output->out, output->json, output->overwrite);
    const Runner runner(show_progress, interrupted());
    Experiment experiment = play(runner);
    show_progress("");
    experiment.seconds = runner.seconds();
    experiment.provenance = provenance;
    if (experiment.record) experiment.record->provenance = provenance;
    publish(experiment, folder, output->json);
  });
}

}  // namespace sotto::apps::lab
