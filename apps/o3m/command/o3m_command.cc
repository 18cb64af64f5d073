#include "sotto/apps/o3m/commands.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sotto/apps/kit/process/progress.h"
#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/out_options.h"
#include "sotto/apps/kit/program/utc_now.h"
#include "sotto/apps/kit/report/publish.h"
#include "sotto/apps/o3m/command/o3m_options.h"
#include "sotto/apps/o3m/local.h"
#include "sotto/apps/o3m/result.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

O3mOutcome launch(const O3mOptions& options, const O3mParameters& parameters) {
  ProgressLine line = progress_on_terminal();
  O3mOutcome outcome = launch_local_o3m(
      local_o3m(options, parameters), [&](const ProgressState& state) { line.update(state); }, interrupted());
  line.clear();
  return outcome;
}

void run_o3m(const O3mOptions& options) {
  catch_interrupts();
  const std::string started = utc_now();
  const O3mInputs inputs = read_o3m_inputs(options.files);
  const O3mParameters parameters = local_parameters(options, inputs);
  const std::filesystem::path folder = results_folder(options.out, options.json, options.overwrite);
  O3mResult result;
  try {
    result = assemble_result(options, inputs, parameters, launch(options, parameters));
  } catch (const Error& error) {
    publish_failure(error, failed_result(options, inputs, parameters, error.what()), folder, started);
  }
  result.stamp(started);
  publish(result, folder, options.json);
}

}  // namespace

void add_o3m_command(Command& app, const Keys& keys) {
  Command* command =
      app.add_subcommand("o3m", "Run LinUCB or LinTS on features that several parties hold, behind one mask (O3M)");
  const auto options = std::make_shared<O3mOptions>();
  add_o3m_options(*command, *options);
  add_o3m_role_command(*command, keys);
  command->footer(
      "O3M is fast and no encryption: docs/o3m.md tells what the active participant can learn.\n"
      "Examples:\n"
      "  sotto o3m --ap ap.csv --passive p1.csv --passive p2.csv --environment env.csv --algorithm ucb\n"
      "  sotto o3m --ap ap.csv --passive p1.csv --environment env.csv --algorithm ts --v 0.1 --compare-central --json\n"
      "  sotto o3m --ap users.csv --passive more.csv --arms-file arms.csv --combine sum --environment env.csv "
      "--algorithm ucb --mask-generator 1");
  command->callback([command, options] {
    require_o3m_files(*command);
    run_o3m(*options);
  });
}

}  // namespace sotto::apps
