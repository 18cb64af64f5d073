#include "sotto/bench/lab/lab_commands.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/bench/lab/command/bench_output.h"
#include "sotto/bench/lab/measure/floor_tables.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

struct BenchFloorArguments {
  std::vector<std::size_t> parties{2, 3, 8};
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 2000;
  BenchOutput output;
};

std::vector<StepFrames> configurations(const BenchFloorArguments& arguments) {
  std::vector<StepFrames> result;
  for (const std::size_t parties : arguments.parties) {
    result.push_back(step_frames(even_plan(parties, arguments.features, arguments.arms, arguments.steps)));
  }
  return result;
}

void run_bench_floor(const BenchFloorArguments& arguments) {
  catch_interrupts();
  check_output(arguments.output);
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

}  // namespace

void add_bench_floor(Command& bench) {
  Command* command = bench.add_subcommand(
      "floor", "Time the messages of a bandit step without arithmetic, and what else this machine allows");
  const auto arguments = std::make_shared<BenchFloorArguments>();
  command->add_option("--parties", arguments->parties, "Compute parties, 2 to 8; several in turn")
      ->separated_by(',')
      ->number(whole(2, max_parties))
      ->shows_default();
  command->add_option("--features", arguments->features, "Features of a context")
      ->shows_default()
      ->number(whole(2, 1024));
  command->add_option("--arms", arguments->arms, "Arms")->shows_default()->number(whole(1, max_arms));
  command
      ->add_option("--steps", arguments->steps,
                   "Steps to replay, fewer where slow; sets the length of all measurements")
      ->shows_default()
      ->number(whole(1, 10'000'000));
  add_output_options(*command, arguments->output);
  command->footer(
      "Examples:\n"
      "  sotto-lab bench floor\n"
      "  sotto-lab bench floor --parties 2,3 --arms 40 --json\n"
      "  sotto-lab bench floor --out floor.md");
  command->callback([arguments] { run_bench_floor(*arguments); });
}

}  // namespace sotto::apps
