#include "apps/robin/commands.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/process/progress.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/report/publish.h"
#include "apps/robin/result.h"
#include "apps/robin/roles/local.h"
#include "apps/robin/settings.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

constexpr const char* privacy = "Privacy";
constexpr const char* bandit = "Bandit";
constexpr const char* simulation = "Simulated clients";

void add_privacy(Command& command, RobinSettings& settings) {
  command.add_option("--eps", settings.epsilon, "Epsilon of the whole run, above 0")
      ->number(real())
      ->shows_default()
      ->group(privacy);
  command.add_option("--delta", settings.delta, "Delta of the whole run, in (0, 1)")
      ->number(real())
      ->shows_default()
      ->group(privacy);
  command
      .add_option_function(
          "--composition",
          [&settings](const std::string& text) { settings.composition = parse_composition(text, "--composition"); },
          "Accountant: \"zcdp\" (default); \"basic\"; \"nested\", the paper's, to show the difference")
      ->type_name("NAME")
      ->group(privacy);
  command
      .add_option_function(
          "--noise", [&settings](const std::string& text) { settings.noise = parse_noise(text, "--noise"); },
          "\"gaussian\" (default with zcdp, and only there) or \"laplace\", both discrete and exact")
      ->type_name("NAME")
      ->group(privacy);
  command
      .add_option_function(
          "--range", [&settings](const std::string& text) { settings.range = parse_range(text, "--range"); },
          "Where estimates are searched: \"private\" (default), found again in each release; \"last\", around the last "
          "release")
      ->type_name("HOW")
      ->group(privacy);
  command
      .add_option("--most-misfire", settings.most_misfire,
                  "Largest chance that a range misses; a run above it is refused")
      ->number(real())
      ->shows_default()
      ->group(privacy);
  command
      .add_flag("--adaptive", settings.adaptive,
                "Where the private range would misfire: every client plays local LinUCB, instead of a refusal")
      ->group(privacy);
}

void add_bandit(Command& command, RobinSettings& settings) {
  const auto number = [&](const char* flag, double& value, const char* help) {
    command.add_option(flag, value, help)->number(real())->shows_default()->group(bandit);
  };
  command
      .add_option("--init-phases", settings.init_phases,
                  "First phases, of local LinUCB (default: the fewest with 8 d^2 - 2 steps)")
      ->number(whole())
      ->type_name("U")
      ->group(bandit);
  number("--noise-sd", settings.noise_sd, "Standard deviation of a reward's noise");
  number("--bound", settings.bound, "Largest norm of theta and of features; longer ones are clipped");
  number("--reward-bound", settings.reward_bound,
         "Largest size of a reward; others are clipped (0: bound^2 + 6 noise-sd)");
  number("--lambda-min", settings.lambda_min,
         "Least eigenvalue of E[x x'] of the best arm's features, known beforehand (0: that of the simulated instance, "
         "else a guess)");
  number("--tau-factor", settings.tau_factor, "Half a bin of the range, in standard deviations");
  number("--alpha", settings.alpha, "LinUCB: weight of the confidence width");
  number("--ridge", settings.ridge, "LinUCB: the ridge, above 0");
}

void add_robin_options(Command& command, RobinOptions& options) {
  add_robin_settings(command, options.settings);
  add_robin_simulation(command, options.settings);
  Option* files =
      command
          .add_option("--client", options.files, "CSV of a logged client, once each: t,arm,<features>,reward[,mean]")
          ->type_name("FILE")
          ->each_time();
  for (const char* simulated : {"--clients", "--dim", "--arms", "--margin", "--diversity", "--seed"}) {
    files->excludes(simulated);
  }
  add_robin_deadline(command, options.deadline_seconds);
  command.add_flag_callback(
      "--no-twins", [&options] { options.twins = false; }, "Do not play the local and the non-private twin");
  add_robin_insecure_seed(command, options.insecure_seed);
  command.add_flag("--insecure-plaintext", options.insecure_plaintext,
                   "Links without TLS: everybody on the way reads them. For measurements");
  add_run_output(command, options.out, options.overwrite, options.json);
}

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

void add_robin_settings(Command& command, RobinSettings& settings) {
  command.add_option("--clients", settings.clients, "Clients, 2 at least")
      ->number(whole())
      ->type_name("M")
      ->shows_default();
  command.add_option("--dim", settings.dimension, "Features")->number(whole())->type_name("d")->shows_default();
  command.add_option("--arms", settings.arms, "Arms")->number(whole())->type_name("K")->shows_default();
  command.add_option("--horizon", settings.horizon, "Steps of each client")
      ->number(whole())
      ->type_name("T")
      ->shows_default();
  add_privacy(command, settings);
  add_bandit(command, settings);
}

void choose_noise(const Command& command, RobinSettings& settings) {
  if (command.count("--noise") > 0) return;
  settings.noise = settings.composition == Composition::zcdp ? NoiseKind::gaussian : NoiseKind::laplace;
}

void add_robin_simulation(Command& command, RobinSettings& settings) {
  command.add_option("--margin", settings.margin, "Steps whose best arm leads by less are drawn again")
      ->number(real())
      ->shows_default()
      ->group(simulation);
  command
      .add_option("--diversity", settings.diversity, "Factor by which all features except the first shrink, in (0, 1]")
      ->number(real())
      ->shows_default()
      ->group(simulation);
  command.add_option("--seed", settings.seed, "Seed of the instance: contexts, rewards, theta")
      ->number(whole())
      ->shows_default()
      ->group(simulation);
}

void add_robin_insecure_seed(Command& command, std::optional<std::uint64_t>& seed) {
  command.add_option("--insecure-seed", seed, "Repeatable noise: whoever knows the seed takes it off again. For tests")
      ->type_name("N")
      ->number(whole());
}

void add_robin_deadline(Command& command, double& seconds) {
  command
      .add_option("--deadline", seconds, "Seconds for all clients to join, and then for the estimates of each release")
      ->number(real())
      ->shows_default();
}

void add_robin_command(Command& app) {
  Command* command =
      app.add_subcommand("robin", "Clients learn one linear bandit with user-level differential privacy (ROBIN)");
  const auto options = std::make_shared<RobinOptions>();
  add_robin_options(*command, *options);
  add_robin_aggregate_command(*command);
  add_robin_aggregator_command(*command);
  add_robin_client_command(*command);
  command->footer(
      "ROBIN works where there are many clients: a run whose private range would misfire is refused. With --adaptive, "
      "each client plays by itself instead.\n"
      "Examples:\n"
      "  sotto robin --clients 1000 --eps 1\n"
      "  sotto robin --clients 200 --eps 10 --dim 8 --arms 10 --out run --json\n"
      "  sotto robin --client a.csv --client b.csv --client c.csv --eps 1 --adaptive\n"
      "docs/explain/robin.md tells how it works, and how companies run it together.");
  command->callback([command, options] {
    choose_noise(*command, options->settings);
    options->horizon_given = command->count("--horizon") > 0;
    run_robin(*options);
  });
}

}  // namespace sotto::apps::robin
