#include "bench/lab/lab_commands.h"

#include <fmt/format.h>

#include "apps/kit/program/option_values.h"
#include "bench/lab/command/lab_output.h"
#include "bench/lab/hannun_paper/result.h"
#include "bench/lab/o3m_paper/result.h"
#include "bench/lab/robin_paper/result.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

struct O3mPaperArguments {
  PaperOptions options;
  CriteoSettings criteo;
  std::vector<double> scales;
  LabOutput output;
};

constexpr std::size_t quick_repeats = 8;

PaperOptions options_of(const O3mPaperArguments& arguments) {
  PaperOptions options = arguments.options;
  if (arguments.criteo.file.empty()) return options;
  options.criteo = arguments.criteo;
  options.criteo->seed = options.synthetic.seed;
  if (arguments.scales.empty()) return options;
  if (arguments.scales.size() != criteo_integers) {
    throw InputError("--criteo-scales", fmt::format("{} numbers are needed, one a user feature", criteo_integers));
  }
  std::copy(arguments.scales.begin(), arguments.scales.end(), options.criteo->scales.begin());
  return options;
}

void add_criteo_options(Command& command, O3mPaperArguments& arguments) {
  command.add_option("--criteo", arguments.criteo.file, "A Criteo log (train.txt, unpacked): adds figure 6 (c)")
      ->type_name("FILE");
  command.add_option("--criteo-rows", arguments.criteo.rows, "Rows of it, from the start",
                     whole(1, std::uint64_t{1} << 40));
  command
      .add_option("--criteo-scales", arguments.scales,
                  "13 factors of the user's features, after they were scaled to [0, 1] (default: 1)")
      ->number(real())
      ->separated_by(',')
      ->type_name("NUMBERS");
}

struct RobinPaperArguments {
  RobinPaperOptions options;
  LabOutput output;
};

constexpr std::size_t quick_seeds = 2;

struct HannunPaperArguments {
  HannunPaperOptions options;
  std::filesystem::path mnist = "build/mnist";  // where scripts/get-mnist puts it
  bool no_private = false;
  LabOutput output;
};

constexpr std::size_t quick_hannun_seeds = 3;
constexpr std::size_t quick_attacks = 20;

void play_hannun(const HannunPaperOptions& options, const LabOutput& output) {
  publish_checked_experiment(
      output, [&] { return run_hannun_paper(options, show_progress, interrupted()); },
      [](const HannunPaperResult&, const std::filesystem::path&) {});
}

}  // namespace

void add_o3m_paper_command(Command& paper) {
  Command* command = paper.add_subcommand("o3m", "Figures 4 to 6 and table 1 of Cao et al. 2022 (O3M)");
  const auto arguments = std::make_shared<O3mPaperArguments>();
  RegretSettings& synthetic = arguments->options.synthetic;
  Option* repeats =
      command->add_option("--repeats", synthetic.repeats, "Repeats of the synthetic experiment", whole(1, 10'000));
  command->add_option("--steps", synthetic.steps, "Steps of it; the reference to compare with is for 5000",
                      whole(1, 100'000'000));
  add_first_seed(*command, synthetic.seed, "repeat");
  command->add_flag("--quick", arguments->options.quick,
                    "8 repeats unless --repeats says other, and fewer sizes for figure 5");
  add_criteo_options(*command, *arguments);
  add_run_output(*command, arguments->output.out, arguments->output.overwrite, arguments->output.json);
  command->footer(
      "Examples:\n"
      "  sotto-lab paper o3m --out paper\n"
      "  sotto-lab paper o3m --quick --json\n"
      "  sotto-lab paper o3m --criteo train.txt --criteo-rows 5000000");
  command->callback([arguments, repeats] {
    if (arguments->options.quick && repeats->count() == 0) arguments->options.synthetic.repeats = quick_repeats;
    const PaperOptions options = options_of(*arguments);
    publish_experiment(arguments->output, [&] { return run_paper(options, show_progress, interrupted()); });
  });
}

void add_hannun_paper_command(Command& paper) {
  Command* command =
      paper.add_subcommand("hannun", "Figures 1 to 8 and table 1 of Hannun et al. 2019 (the private bandit)");
  const auto arguments = std::make_shared<HannunPaperArguments>();
  HannunPaperOptions& options = arguments->options;
  Option* mnist = command
                      ->add_option("--mnist", arguments->mnist,
                                   "Folder of MNIST's IDX files; where none are in build/mnist, the digits that come "
                                   "with sotto are played")
                      ->type_name("FOLDER");
  command->add_option("--figure", options.figures, "What to play: 1 to 8, table1; several in turn (default: all)")
      ->separated_by(',')
      ->one_of(hannun_figures());
  Option* seeds = command->add_option("--seeds", options.seeds, "Seeds of figures 1 and 2; of the others at most 3",
                                      whole(1, 1000));
  Option* attacks =
      command->add_option("--attacks", options.attacks, "Runs that are attacked for figure 6", whole(1, 10'000));
  add_first_seed(*command, options.first_seed, "run");
  command->add_flag("--quick", options.quick,
                    "Fewer settings, private runs of a few, and 3 seeds and 20 attacks unless other flags say other");
  command->add_flag("--no-private", arguments->no_private, "Leave out the private runs, and with them figures 3 and 4");
  add_run_output(*command, arguments->output.out, arguments->output.overwrite, arguments->output.json);
  command->footer(
      "Exit code 1: a figure is outside its tolerance.\n"
      "Examples:\n"
      "  sotto-lab paper hannun --out paper\n"
      "  sotto-lab paper hannun --quick --json\n"
      "  sotto-lab paper hannun --mnist build/mnist --figure 3,4,table1");
  command->callback([arguments, mnist, seeds, attacks] {
    HannunPaperOptions options = arguments->options;
    if (mnist->count() > 0 || holds_mnist(arguments->mnist)) options.mnist = arguments->mnist;
    options.private_runs = !arguments->no_private;
    if (options.quick && seeds->count() == 0) options.seeds = quick_hannun_seeds;
    if (options.quick && attacks->count() == 0) options.attacks = quick_attacks;
    play_hannun(options, arguments->output);
  });
}

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

}  // namespace sotto::apps::lab
