#include "bench/lab/lab_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/kit/program/option_values.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/measure/o3m_trial.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::lab {

namespace {

constexpr std::size_t most_features = 5000;
constexpr std::size_t most_arms = 1000;
constexpr std::uint64_t steps_of_a_run = 5000;
constexpr std::size_t most_numbers_of_a_run = 1000;  // of a step's contexts

struct O3mBench {
  std::vector<std::string> sizes{"100x10", "500x10", "500x100", "1000x100"};
  std::vector<std::string> algorithms{"ucb", "ts"};
  std::size_t participants = 5;
  std::uint64_t steps = 3000;
  std::uint64_t textbook_steps = 5;
  std::size_t runs = 9;
};

struct Size {
  std::size_t dimension = 0;
  std::size_t arms = 0;
};

Size size_of(const std::string& text) {
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto dimension = number_of<std::size_t>(text.substr(0, cross));
  const auto arms = number_of<std::size_t>(text.substr(std::min(cross + 1, text.size())));
  if (dimension && arms && *arms >= 1 && *arms <= most_arms && *dimension <= most_features) return {*dimension, *arms};
  throw InputError(
      "--size", fmt::format("'{}' is no size: write features x arms, as 100x10, with at most {} features and {} arms",
                            text, most_features, most_arms));
}

std::vector<O3mCase> cases_of(const O3mBench& arguments) {
  std::vector<O3mCase> cases;
  for (const std::string& algorithm : arguments.algorithms) {
    for (const std::string& text : arguments.sizes) {
      const Size size = size_of(text);
      if (size.dimension < arguments.participants) {
        throw InputError("--size",
                         fmt::format("{} for {}, each of which has one at least", counted(size.dimension, "feature"),
                                     counted(arguments.participants, "participant")));
      }
      cases.push_back({algorithm == "ucb" ? LinearAlgorithm::ucb : LinearAlgorithm::ts, size.dimension, size.arms,
                       arguments.participants});
    }
  }
  return cases;
}

// Of the smallest size alone: files of others take longer to write than runs to play.
std::vector<O3mRunMeasurement> whole_runs(const O3mBench& arguments, const std::vector<O3mCase>& cases) {
  std::vector<O3mRunMeasurement> measurements;
  for (const O3mCase& what : cases) {
    if (what.dimension * what.arms > most_numbers_of_a_run || arguments.runs == 0) continue;
    for (const bool plaintext : {false, true}) {
      show_progress(fmt::format("whole runs of {}, {}", counted(what.dimension, "feature"), counted(what.arms, "arm")));
      measurements.push_back({what, steps_of_a_run, plaintext,
                              measure_o3m_runs(what, steps_of_a_run, arguments.runs, plaintext, interrupted())});
    }
  }
  return measurements;
}

Page measure_o3m(const O3mBench& arguments) {
  const std::vector<O3mCase> cases = cases_of(arguments);
  Page page{"o3m",
            "A step of O3M",
            "What the participants of O3M compute for a step, on synthetic contexts of norm 1 whose columns are split "
            "evenly: first in one process and one thread, without links, the central twin in turn with the active "
            "participant; then in whole runs.",
            {},
            {}};
  std::vector<O3mMeasurement> measurements;
  for (const O3mCase& what : cases) {
    show_progress(fmt::format("{}, {} ({} of {})", counted(what.dimension, "feature"), counted(what.arms, "arm"),
                              measurements.size() + 1, cases.size()));
    measurements.push_back({what, measure_o3m(what, arguments.steps, arguments.textbook_steps, interrupted())});
  }
  page.tables.push_back(o3m_time_table(measurements));
  const std::vector<O3mRunMeasurement> runs = whole_runs(arguments, cases);
  if (!runs.empty()) page.tables.push_back(o3m_run_table(runs));
  FigureTable targets = o3m_target_table(measurements);
  if (targets.rows() > 0) page.tables.push_back(std::move(targets));
  return page;
}

void declare_o3m(Command& command, O3mBench& arguments) {
  command.add_option("--size", arguments.sizes, "Features x arms; several in turn")->separated_by(',')->shows_default();
  command.add_option("--algorithm", arguments.algorithms, "ucb or ts; several in turn")
      ->separated_by(',')
      ->one_of({"ucb", "ts"})
      ->shows_default();
  command.add_option("--participants", arguments.participants, "Participants, 2 to 8", whole(2, max_parties));
  command.add_option("--steps", arguments.steps, "Steps of each, at least", whole(1, 10'000'000));
  command.add_option("--textbook-steps", arguments.textbook_steps, "Steps that invert a matrix, for comparison",
                     whole(0, 100'000));
  command.add_option("--runs", arguments.runs, "Whole runs of each size up to 1000 numbers a step; 0: none",
                     whole(0, 1000));
}

}  // namespace

void add_bench_o3m(Command& bench) {
  add_measurement<O3mBench>(bench, "o3m", "Time what the participants of O3M compute, beside the central twin",
                            "Examples:\n"
                            "  sotto-lab bench o3m\n"
                            "  sotto-lab bench o3m --size 100x10 --algorithm ucb --json\n"
                            "  sotto-lab bench o3m --out bench/results/o3m.md",
                            declare_o3m, measure_o3m);
}

}  // namespace sotto::apps::lab
