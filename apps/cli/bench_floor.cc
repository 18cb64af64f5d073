#include "apps/cli/bench_floor.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "apps/cli/bench_output.h"
#include "apps/cli/interrupt.h"
#include "apps/data/environment.h"
#include "apps/measure/replay.h"
#include "apps/measure/samples.h"

namespace sotto::apps {
namespace {

constexpr double seconds_a_policy = 4;

struct Arguments {
  std::vector<std::size_t> parties{2, 3, 8};
  std::size_t features = 20;
  std::size_t arms = 10;
  std::uint64_t steps = 2000;
  BenchOutput output;
};

struct Configuration {
  std::size_t parties;
  StepFrames frames;
};

std::vector<Configuration> configurations(const Arguments& arguments) {
  std::vector<Configuration> result;
  for (const std::size_t parties : arguments.parties) {
    result.push_back({parties, step_frames(even_plan(parties, arguments.features, arguments.arms,
                                                     arguments.steps))});
  }
  return result;
}

FigureTable step_table(const Arguments& arguments,
                       const std::vector<Configuration>& configurations) {
  FigureTable table(
      "steps",
      fmt::format("The messages of a bandit step alone, {} features, {} arms: time a step",
                  arguments.features, arguments.arms),
      {{"parties", "parties"},
       {"rounds", "rounds"},
       {"sent_bytes", "sent by a party, B"},
       {"floor_us", "floor, us"},
       {"floor_least_us", "least, us"},
       {"spinning_us", "spinning, us"},
       {"spinning_least_us", "least, us"},
       {"blocking_us", "blocking, us"},
       {"blocking_least_us", "least, us"}});
  for (const Configuration& c : configurations) {
    std::vector<Cell> row{c.parties, c.frames.rounds.size(), c.frames.sent_by_largest_party()};
    for (const Waiting waiting : {Waiting::yielding, Waiting::spinning, Waiting::blocking}) {
      show_progress(fmt::format("floor of {} parties", c.parties));
      const std::vector<double> times =
          replay_within(c.frames, waiting, arguments.steps, seconds_a_policy, interrupted());
      row.insert(row.end(), {median(times), least(times)});
    }
    table.add(std::move(row));
  }
  table.note(
      "Floor: waiting as the links do, with sched_yield for 50 us and then in poll. Medians and "
      "least of up to 10 batches.");
  return table;
}

void run(const Arguments& arguments) {
  catch_interrupts();
  check_output(arguments.output);
  const std::vector<Configuration> all = configurations(arguments);
  Page page{"floor",
            "The floor of a bandit step",
            "The frames of each round of a bandit step, as the planner gives them, sent between "
            "the same processes as in `sotto bandit` without arithmetic; and what else this "
            "machine allows.",
            take_provenance(),
            {}};
  page.tables.push_back(step_table(arguments, all));
  show(page, arguments.output);
}

}  // namespace

void add_bench_floor(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "floor",
      "Time the messages of a bandit step without arithmetic, and what else this machine "
      "allows");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--parties", arguments->parties, "Compute parties, 2 to 8; several in turn")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{2}, max_parties))
      ->capture_default_str();
  command->add_option("--features", arguments->features, "Features of a context")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{2}, std::size_t{1024}));
  command->add_option("--arms", arguments->arms, "Arms")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, max_arms));
  command->add_option("--steps", arguments->steps, "Steps that are replayed, fewer where slow")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000'000}));
  add_output_options(*command, arguments->output);
  command->footer(
      "Examples:\n"
      "  sotto bench floor\n"
      "  sotto bench floor --parties 2,3 --arms 40 --json\n"
      "  sotto bench floor --out floor.md");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace sotto::apps
