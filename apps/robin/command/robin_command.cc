#include "sotto/apps/robin/commands.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sotto/apps/kit/process/progress.h"
#include "sotto/apps/kit/program/about.h"
#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/out_options.h"
#include "sotto/apps/kit/report/publish.h"
#include "sotto/apps/robin/command/robin_options.h"
#include "sotto/apps/robin/local.h"
#include "sotto/apps/robin/result.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

LocalRobinRun play(const RobinOptions& options, const RobinInputs& inputs) {
  ProgressLine line = progress_on_terminal();
  return run_local_robin(
      options, inputs, [&](const ProgressState& state) { line.update(state); }, interrupted());
}

void run_robin(const RobinOptions& options) {
  catch_interrupts();
  const std::string started = utc_now();
  const RobinInputs inputs = read_robin_inputs(options);
  const std::filesystem::path folder = results_folder(options.out, options.json, options.overwrite);
  LocalRobinRun run = play(options, inputs);
  run.result.stamp(started);
  const auto failed = [&] { return FailedRun(run.error->exit_code(), run.error->what(), to_json(run.result)); };
  if (run.error && options.json) {
    if (!folder.empty()) write_run(folder, run.result);
    throw failed();
  }
  publish(run.result, folder, options.json);
  std::fflush(stdout);
  if (run.error) throw failed();
}

}  // namespace

void add_robin_command(Command& app) {
  Command* command =
      app.add_subcommand("robin", "Clients learn one linear bandit with user-level differential privacy (ROBIN)");
  const auto options = std::make_shared<RobinOptions>();
  add_robin_options(*command, *options);
  add_robin_aggregate_command(*command);
  add_robin_aggregator_command(*command);
  add_robin_client_command(*command);
  command->footer(
      "ROBIN works where there are many clients: a run whose private range would misfire is refused, or played by each "
      "client alone with --adaptive.\n"
      "Examples:\n"
      "  sotto robin --clients 1000 --eps 1\n"
      "  sotto robin --clients 200 --eps 10 --dim 8 --arms 10 --out run --json\n"
      "  sotto robin --client a.csv --client b.csv --client c.csv --eps 1 --adaptive\n"
      "docs/robin.md tells how it works, and how companies run it together.");
  command->callback([command, options] {
    choose_noise(*command, options->settings);
    options->horizon_given = command->count("--horizon") > 0;
    run_robin(*options);
  });
}

}  // namespace sotto::apps
