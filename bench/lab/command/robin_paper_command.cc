#include "sotto/bench/lab/lab_commands.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/kit/program/out_options.h"
#include "sotto/apps/kit/report/provenance.h"
#include "sotto/apps/kit/report/publish.h"
#include "sotto/bench/lab/command/bench_output.h"
#include "sotto/bench/lab/robin_paper/result.h"

namespace sotto::apps {
namespace {

struct RobinPaperArguments {
  RobinPaperOptions options;
  std::filesystem::path out;
  bool overwrite = false;
  bool json = false;
};

constexpr std::size_t quick_seeds = 2;

void run_robin_paper(const RobinPaperArguments& arguments) {
  catch_interrupts();
  const Provenance provenance = take_provenance();
  const std::filesystem::path folder = results_folder(arguments.out, arguments.json, arguments.overwrite);
  const RobinPaperResult result = run_robin_paper(arguments.options, provenance, show_progress, interrupted());
  show_progress("");
  publish(result, folder, arguments.json);
}

}  // namespace

void add_robin_paper_command(Command& paper) {
  Command* command = paper.add_subcommand("robin", "Play ROBIN at several clients, epsilons and horizons, and compare");
  const auto arguments = std::make_shared<RobinPaperArguments>();
  Option* seeds = command->add_option("--seeds", arguments->options.seeds, "Runs of each setting")
                      ->shows_default()
                      ->number(whole(1, 1000));
  command->add_option("--seed", arguments->options.first_seed, "Seed of the first run; the next ones count on")
      ->shows_default()
      ->number(whole(0, std::uint64_t{1} << 62));
  command
      ->add_option("--horizon", arguments->options.horizon,
                   "Steps of each client; the reference to compare with is for 8190")
      ->shows_default()
      ->number(whole(254, std::uint64_t{1} << 24));
  command->add_flag("--quick", arguments->options.quick,
                    "2 seeds unless --seeds says other, and no more than 4000 clients");
  add_run_output(*command, arguments->out, arguments->overwrite, arguments->json);
  command->footer(
      "Examples:\n"
      "  sotto-lab paper robin --out paper\n"
      "  sotto-lab paper robin --quick --json");
  command->callback([arguments, seeds] {
    if (arguments->options.quick && seeds->count() == 0) arguments->options.seeds = quick_seeds;
    run_robin_paper(*arguments);
  });
}

}  // namespace sotto::apps
