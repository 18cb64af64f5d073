#include "sotto/bench/lab/lab_commands.h"

#include "sotto/apps/kit/program/number_options.h"
#include "sotto/bench/lab/command/lab_output.h"
#include "sotto/bench/lab/robin_paper/result.h"

namespace sotto::apps {
namespace {

struct RobinPaperArguments {
  RobinPaperOptions options;
  LabOutput output;
};

constexpr std::size_t quick_seeds = 2;

}  // namespace

void add_robin_paper_command(Command& paper) {
  Command* command = paper.add_subcommand("robin", "Play ROBIN at several clients, epsilons and horizons, and compare");
  const auto arguments = std::make_shared<RobinPaperArguments>();
  Option* seeds = command->add_option("--seeds", arguments->options.seeds, "Runs of each setting", whole(1, 1000));
  add_first_seed(*command, arguments->options.first_seed, "run");
  command->add_option("--horizon", arguments->options.horizon,
                      "Steps of each client; the reference to compare with is for 8190",
                      whole(254, std::uint64_t{1} << 24));
  command->add_flag("--quick", arguments->options.quick,
                    "2 seeds unless --seeds says other, and no more than 4000 clients");
  add_run_output(*command, arguments->output.out, arguments->output.overwrite, arguments->output.json);
  command->footer(
      "Examples:\n"
      "  sotto-lab paper robin --out paper\n"
      "  sotto-lab paper robin --quick --json");
  command->callback([arguments, seeds] {
    if (arguments->options.quick && seeds->count() == 0) arguments->options.seeds = quick_seeds;
    publish_experiment(arguments->output,
                       [&] { return run_robin_paper(arguments->options, show_progress, interrupted()); });
  });
}

}  // namespace sotto::apps
