#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/bandit/run/command/commands.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/settings/config_options.h"
#include "apps/prepare/command/prepare.h"
#include "sotto/protocol/preprocessing/randomness_by.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr std::uint64_t demo_steps = 5391;  // three times over all rows

struct DemoArguments {
  BanditOptions options;
  std::filesystem::path out;
};

prepare::PrepareResult prepare_digits(const std::filesystem::path& folder, RandomnessBy preprocessing) {
  prepare::PrepareOptions options;
  options.source = prepare::DataSource::digits;
  options.components = prepare::default_components;
  options.split = {10, 10};
  if (preprocessing == RandomnessBy::replicated) options.split = {7, 7, 6};
  options.output = folder;
  return prepare::prepare(options);
}

// A run without a dealer selects the pulled arm first, because this needs the least randomness.
BanditOptions demo_run(const DemoArguments& arguments, const std::filesystem::path& out) {
  BanditOptions options = arguments.options;
  const prepare::PrepareResult digits = prepare_digits(out / "data", options.run.preprocessing);
  options.parties = digits.parties;
  options.environment = digits.environment;
  options.run.max_norm = 1;
  if (options.run.preprocessing != RandomnessBy::dealer) options.run.update = StepUpdate::pulled_arm;
  options.out = out / "run";
  return options;
}

}  // namespace

void add_demo_command(Command& app) {
  Command* command =
      app.add_subcommand("demo", "Run the private bandit on the digits that come with sotto, every role a process");
  const auto arguments = std::make_shared<DemoArguments>();
  arguments->options.run.steps = demo_steps;
  command->add_option("--out", arguments->out, "Folder for the data and the results (default: sotto-runs/<time>-<id>)")
      ->type_name("DIR");
  add_overwrite(*command, arguments->options.overwrite);
  command
      ->add_option("--steps", arguments->options.run.steps, "Steps of the bandit; beyond the 1797 rows they wrap round")
      ->shows_default()
      ->number(whole(1));
  add_setting_option(*command, arguments->options.run, "run.preprocessing");
  command->footer(
      "Examples:\n"
      "  sotto demo\n"
      "  sotto demo --steps 1797 --out digits\n"
      "  sotto demo --preprocessing replicated");
  command->callback([arguments] {
    const std::filesystem::path out = arguments->out.empty() ? default_run_directory() : arguments->out;
    (void)results_folder(out / "run", false, arguments->options.overwrite);
    run_bandit(demo_run(*arguments, out));
  });
}

}  // namespace sotto::apps::bandit::run
