#include "bench/lab/lab_commands.h"

#include <fmt/format.h>

#include "apps/kit/files/output_file.h"
#include "apps/kit/program/option_values.h"
#include "bench/lab/batches_paper/result.h"
#include "bench/lab/command/lab_output.h"

namespace sotto::apps::lab {
namespace {

struct BatchesArguments {
  BatchesOptions options;
  std::uint64_t events = 0;  // 0: all
  LabOutput output;
};

constexpr std::size_t few_seeds = 10;

BatchesOptions options_of(const BatchesArguments& arguments, bool seeds_given) {
  BatchesOptions options = arguments.options;
  if (options.quick && !seeds_given) options.seeds = few_seeds;
  if (arguments.events > 0) options.events = arguments.events;
  return options;
}

}  // namespace

void add_batches_paper_command(Command& paper) {
  Command* command = paper.add_subcommand("batches", "Play the private bandit in batches, and compare what it earns");
  const auto arguments = std::make_shared<BatchesArguments>();
  BatchesOptions& options = arguments->options;
  Option* seeds =
      command->add_option("--seeds", options.seeds, "Runs of the plain-text twin for each setting", whole(2, 10'000));
  add_first_seed(*command, options.first_seed, "run");
  command->add_option("--private", options.private_runs, "Private runs beside each setting", whole(0, 1000));
  command->add_option("--mnist", options.mnist, "Folder of MNIST's files (scripts/get-mnist): plays it as well")
      ->type_name("DIR");
  command->add_option("--events", arguments->events, "No more events than this; nothing is compared then")
      ->number(whole(1, 1'000'000'000));
  command->add_flag("--quick", options.quick, "10 seeds unless --seeds says other, and no delay of 4 batches");
  add_run_output(*command, arguments->output.out, arguments->output.overwrite, arguments->output.json);
  command->footer(
      "Writes batches.md beside report.html and run.json. Ends with exit code 1 where a figure is not within what was\n"
      "expected of it.\n"
      "Examples:\n"
      "  sotto-lab paper batches --quick\n"
      "  sotto-lab paper batches --mnist build/mnist --private 2 --out paper");
  command->callback([arguments, seeds] {
    const BatchesOptions played = options_of(*arguments, seeds->count() > 0);
    publish_checked_experiment(
        arguments->output, [&] { return run_batches_paper(played, show_progress, interrupted()); },
        [](const BatchesResult& result, const std::filesystem::path& folder) {
          write_file(folder / "batches.md", to_markdown(record_of(result)));
        });
  });
}

}  // namespace sotto::apps::lab
