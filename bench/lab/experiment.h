// The code that all commands of sotto-lab share. An experiment plays settings and compares the results with a
// reference.
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

struct Piece {
  std::function<void()> work;
  double cost = 0;  // in any unit
};

class Runner {
 public:
  using Report = std::function<void(const std::string&)>;

  // `stop` must outlive this object.
  Runner(Report report, const std::atomic<bool>& stop) : report_(std::move(report)), stop_(stop) {}

  void report(const std::string& doing) const { report_(doing); }
  [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
  [[nodiscard]] double seconds() const { return seconds_since(start_); }
  void play(std::vector<Piece> pieces, const std::string& noun, const std::string& where = "") const;

 private:
  Report report_;
  const std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Experiment {
  std::string name;
  nlohmann::ordered_json settings{};
  nlohmann::ordered_json first{};  // further fields at the start of run.json
  nlohmann::ordered_json rest{};
  std::vector<Check> checks{};
  std::string verdict{};  // empty: there is no reference
  std::vector<FigureTable> tables{};
  ReportPage page{};
  std::vector<std::pair<std::string, std::string>> parameters{};
  // The text of an experiment is `before`, the tables not in `long_tables`, `after`, and the verdict.
  std::string before{};
  std::set<std::string> long_tables{};
  std::function<std::string(const TextOptions&)> after{};
  std::optional<Page> record{};  // written next to the report as NAME.md
  bool must_pass = false;        // the command fails if a check fails
  double seconds = 0;
  Provenance provenance{};
};

[[nodiscard]] nlohmann::ordered_json to_json(const Experiment& experiment);
[[nodiscard]] std::string summary_text(const Experiment& experiment, const TextOptions& = {});
[[nodiscard]] std::string report_html(const Experiment& experiment);

// Throws FailedRun with exit code 1 at the end if the experiment must pass and a check failed.
void publish(const Experiment& experiment, const std::filesystem::path& folder, bool json);

void add_charts(ReportPage& page, const std::vector<PageFigure>& charts);
// Returns the line called `name`. If the chart has no line of this name, adds one with the next style in `looks`.
ChartSeries& series_named(LineChart& chart, const std::string& name, const std::vector<SeriesStyle>& looks);
[[nodiscard]] inline ChartPoint mean_point(double x, const MeanAndSd& value, std::size_t runs) {
  return {x, value.mean, runs > 1 ? std::optional(value.sd) : std::nullopt};
}

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
[[nodiscard]] inline double standard_error(const MeanAndSd& mean, std::size_t runs) {
  return mean.sd / std::sqrt(static_cast<double>(runs));
}

struct LabOutput {
  bool json = false;
  std::filesystem::path out;  // a measurement's page or an experiment's folder; empty: none
  bool overwrite = false;
};

void add_output_options(Command& command, LabOutput& output,
                        const std::string& help = "Write a Markdown page of the same figures as well",
                        const std::string& type = "FILE");

Option* add_parties(Command& command, std::vector<std::size_t>& parties);
void add_features(Command& command, std::size_t& features);
void add_first_seed(Command& command, std::uint64_t& seed, const std::string& of_what);

void show(const Page& page, const LabOutput& output);

void show_progress(const std::string& doing);

// `measure` returns the page without its provenance.
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

[[nodiscard]] inline std::vector<FigureTable> with_rows(std::vector<FigureTable> tables) {
  std::erase_if(tables, [](const FigureTable& table) { return table.rows() == 0; });
  return tables;
}

// The exit code of an experiment with a figure outside its tolerance.
inline constexpr ExitCode figures_off{1};

using Play = std::function<Experiment(const Runner&)>;

// Makes `command` play an experiment. `declare` adds the command's own options, and `plan` refuses invalid arguments.
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
