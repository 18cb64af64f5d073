// What the commands of sotto-lab have in common. A measurement gives a page of tables. An experiment plays cells and
// compares what they come to with a reference: the same figures as text, as run.json and as report.html.
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

// Part of what an experiment plays, which no other part waits for.
struct Piece {
  std::function<void()> work;
  double cost = 0;  // of any unit
};

// What an experiment is played by: where it says what is done now, and when it must stop. The time counts from its
// making.
class Runner {
 public:
  using Tell = std::function<void(const std::string&)>;

  // `stop` must outlive this.
  Runner(Tell tell, const std::atomic<bool>& stop) : tell_(std::move(tell)), stop_(stop) {}

  void tell(const std::string& doing) const { tell_(doing); }
  [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
  [[nodiscard]] double seconds() const { return seconds_since(start_); }
  // On all cores, pieces of a higher cost first; after each it tells "3 of 12 runs", and `where`. Throws what a piece
  // throws, and Interrupted.
  void play(std::vector<Piece> pieces, const std::string& noun, const std::string& where = "") const;

 private:
  Tell tell_;
  const std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What an experiment came to.
struct Experiment {
  std::string name;  // of run.json, which has settings, tables and what follows from the checks besides
  nlohmann::ordered_json settings{};
  nlohmann::ordered_json first{};  // further fields that come first, null where one of the common ones is to stand
  nlohmann::ordered_json rest{};   // further fields that come last
  std::vector<Check> checks{};
  std::string verdict{};  // empty: there is no reference
  std::vector<FigureTable> tables{};
  ReportPage page{};  // without the verdict, the settings and where its figures come from
  std::vector<std::pair<std::string, std::string>> parameters{};  // of the page's section of settings, if it has one
  // The text: what is before, the tables but for the long ones, what is after, and the verdict.
  std::string before{};
  std::set<std::string> long_tables{};
  std::function<std::string(const TextOptions&)> after{};
  std::optional<Page> record{};  // written beside the report as NAME.md
  bool must_pass = false;        // the command fails where a check does
  double seconds = 0;
  Provenance provenance{};
};

[[nodiscard]] nlohmann::ordered_json to_json(const Experiment& experiment);
[[nodiscard]] std::string summary_text(const Experiment& experiment, const TextOptions& = {});
// One page that loads nothing.
[[nodiscard]] std::string report_html(const Experiment& experiment);

// Writes the files of an experiment into the folder, if there is one, and shows it. Where it must pass and did not,
// throws FailedRun with exit code 1 after that; with --json the object is that of the error.
void publish(const Experiment& experiment, const std::filesystem::path& folder, bool json);

// A section for each chart.
void add_charts(ReportPage& page, const std::vector<PageFigure>& charts);
// The line of that name; made with the next of the looks where there is none.
ChartSeries& series_named(LineChart& chart, const std::string& name, const std::vector<SeriesLook>& looks);
// A point with a band of one standard deviation, where there are several runs.
[[nodiscard]] inline ChartPoint mean_point(double x, const MeanAndSd& value, std::size_t runs) {
  return {x, value.mean, runs > 1 ? std::optional(value.sd) : std::nullopt};
}

// `figure` of each run: a member, or a function of it.
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
// Of a mean.
[[nodiscard]] inline double standard_error(const MeanAndSd& mean, std::size_t runs) {
  return mean.sd / std::sqrt(static_cast<double>(runs));
}

struct LabOutput {
  bool json = false;
  std::filesystem::path out;  // empty: no page
  bool overwrite = false;
};

// Declares --json, --out and --overwrite; `output` is filled when the command line is parsed.
void add_output_options(Command& command, LabOutput& output,
                        const std::string& help = "Write a Markdown page of the same figures as well",
                        const std::string& type = "FILE");

// --parties, a list; --features of a context; --seed, of the first of several runs or repeats.
Option* add_parties(Command& command, std::vector<std::size_t>& parties);
void add_features(Command& command, std::size_t& features);
void add_first_seed(Command& command, std::uint64_t& seed, const std::string& of_what);

// Tables or JSON on stdout, and with --out a page for bench/results/. Throws ResourceError where the page cannot be
// written.
void show(const Page& page, const LabOutput& output);

// One line on stderr about what is done now, if that is a terminal; an empty one clears it.
void show_progress(const std::string& doing);

// Adds `sotto-lab bench NAME`: `declare` adds its own options, `measure` runs once the output is known to fit, and
// gives the page but for its provenance.
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

// The tables of a measurement, but for those without rows.
[[nodiscard]] inline std::vector<FigureTable> with_rows(std::vector<FigureTable> tables) {
  std::erase_if(tables, [](const FigureTable& table) { return table.rows() == 0; });
  return tables;
}

// The exit code of an experiment of which a figure left its tolerance: no error of anybody's.
inline constexpr ExitCode figures_off{1};

using Play = std::function<Experiment(const Runner&)>;

// Makes `command` play an experiment: `declare` adds its own options, `plan` refuses what does not fit, and what it
// gives is played once its folder is known to fit.
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
