#include "sotto/bench/lab/lab_commands.h"

#include <fmt/format.h>

#include <vector>

#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/bench/lab/command/lab_output.h"
#include "sotto/bench/lab/measure/floor_tables.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

struct FloorBench {
  std::vector<std::size_t> parties{2, 3, 8};
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 2000;
  LabOutput output;
};

std::vector<StepFrames> configurations(const FloorBench& arguments) {
  std::vector<StepFrames> result;
  for (const std::size_t parties : arguments.parties) {
    result.push_back(step_frames(even_plan(parties, arguments.features, arguments.arms, arguments.steps)));
  }
  return result;
}

void measure_floor(const FloorBench& arguments) {
  const std::vector<StepFrames> all = configurations(arguments);
  Page page{
      "floor",
      "The floor of a bandit step",
      "The frames of each round of a bandit step, as the planner gives them, sent between the same processes as in "
      "`sotto bandit` without arithmetic; and what else this machine allows. Medians and extremes of up to 10 batches.",
      take_provenance(),
      {}};
  show_progress("the messages of a step");
  page.tables.push_back(step_table(all,
                                   fmt::format("A bandit step without arithmetic, {}, {}: time a step",
                                               counted(arguments.features, "feature"), counted(arguments.arms, "arm")),
                                   arguments.steps, interrupted()));
  page.tables.push_back(frame_table(all));
  show_progress("exchanges between two processes");
  page.tables.push_back(exchange_table(arguments.steps, interrupted()));
  page.tables.push_back(bandwidth_table(arguments.steps, interrupted()));
  show_progress("kernels");
  page.tables.push_back(kernel_table(arguments.steps));
  show(page, arguments.output);
}

void declare_floor(Command& command, FloorBench& arguments) {
  add_parties(command, arguments.parties)->shows_default();
  add_features(command, arguments.features);
  command.add_option("--arms", arguments.arms, "Arms")->shows_default()->number(whole(1, max_arms));
  command
      .add_option("--steps", arguments.steps, "Steps to replay, fewer where slow; sets the length of all measurements")
      ->shows_default()
      ->number(whole(1, 10'000'000));
}

}  // namespace

void add_bench_floor(Command& bench) {
  add_measurement<FloorBench>(
      bench, "floor", "Time the messages of a bandit step without arithmetic, and what else this machine allows",
      "Examples:\n"
      "  sotto-lab bench floor\n"
      "  sotto-lab bench floor --parties 2,3 --arms 40 --json\n"
      "  sotto-lab bench floor --out floor.md",
      declare_floor, measure_floor);
}

}  // namespace sotto::apps
