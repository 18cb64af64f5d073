#include "apps/o3m/commands.h"

#include <fmt/format.h>

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
#include "apps/kit/settings/config_options.h"
#include "apps/o3m/leakage.h"
#include "apps/o3m/local.h"
#include "apps/o3m/result.h"
#include "apps/o3m/role_site.h"
#include "apps/o3m/settings.h"
#include "apps/o3m/synthetic_files.h"
#include "apps/prepare/command/prepare.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::o3m {
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

// No option is marked as required, because parsing a subcommand of `sotto o3m` would then fail.
void add_o3m_options(Command& command, O3mOptions& options) {
  add_o3m_file_options(command, options.files);
  command
      .add_option("--environment", options.files.environment,
                  "CSV t,arm,reward[,mean]: what each arm earns in each step; with mean, regret")
      ->type_name("FILE");
  add_run_options(command, options.run);
  command.option("--steps")->help = "Steps (default: those of the files)";
  add_setting_option(command, options.run, "run.acknowledge_leakage")->help =
      "You know what the active participant can learn. Written down; required where several companies run the roles";
  command.add_flag("--compare-central", options.compare_central,
                   "Play the same on all features in one place, and compare (local simulation)");
  add_run_output(command, options.out, options.overwrite, options.json);
}

void require_o3m_files(const Command& command) {
  for (const char* name : {"--ap", "--passive", "--environment", "--algorithm"}) {
    if (command.count(name) == 0) throw UsageError(std::string(name) + " is required");
  }
}

struct O3mRoleArguments {
  ConfigArguments config;
  RoleExtras extras;
};

void require_o3m(const ConfigArguments& arguments, const RoleSettings& config) {
  if (&config.program() == &o3m_program()) return;
  throw InputError(arguments.file.string(),
                   fmt::format("this is the config of {} in a run of {}, not of O3M; run `{} --config ...`",
                               config.display_name(), config.program().name, config.started_by()));
}

void run_o3m_role(const Keys& keys, const O3mRoleArguments& arguments) {
  catch_interrupts();
  const EffectiveConfig effective = effective_config(keys, arguments.config);
  require_o3m(arguments.config, *effective.config);
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(effective));
    return;
  }
  const O3mRoleReport report =
      run_o3m_role(static_cast<const O3mSettings&>(*effective.config), arguments.extras, interrupted());
  warn_of_insecure(report);
  fmt::print("{}\n", leakage_headline());
  fmt::print("{}: {}, {} sent, {:.2f} s of masking", report.role, counted(report.rounds, "round"),
             counted(report.bytes_sent, "byte"), report.masking_seconds);
  if (report.average_reward) {
    fmt::print(", {} in {:.2f} s, average reward {:.6g}", counted(report.arms.size(), "step"), report.play_seconds,
               *report.average_reward);
  }
  fmt::print("\n");
}

struct PrepareO3mArguments {
  SyntheticO3m options;
  std::string split = "10,10,10";
  bool overwrite = false;
  bool json = false;
};

const std::vector<std::string> written_files{"environment.csv", "active.csv",    "passive_1.csv",
                                             "passive_2.csv",   "passive_3.csv", "passive_4.csv",
                                             "passive_5.csv",   "passive_6.csv", "passive_7.csv"};

std::string next_command(const O3mFiles& files) {
  std::string command = "sotto o3m --ap " + terminal_safe(shell_quoted(files.active.string()));
  for (const auto& passive : files.passive) {
    command += " --passive " + terminal_safe(shell_quoted(passive.string()));
  }
  return command + fmt::format(" --environment {} --algorithm ucb --compare-central",
                               terminal_safe(shell_quoted(files.environment.string())));
}

void run_prepare_o3m(const PrepareO3mArguments& arguments) {
  SyntheticO3m options = arguments.options;
  options.split = prepare::parse_split(arguments.split);
  check_out_folder(options.output, written_files, arguments.overwrite);
  const O3mFiles files = write_synthetic_o3m(options);
  if (arguments.json) {
    nlohmann::ordered_json json;
    json["active"] = files.active.string();
    json["passive"] = nlohmann::ordered_json::array();
    for (const auto& passive : files.passive) json["passive"].push_back(passive.string());
    json["environment"] = files.environment.string();
    json["steps"] = options.steps;
    json["arms"] = options.arms;
    json["split"] = options.split;
    json["next"] = next_command(files);
    fmt::print("{}\n", json_text(json, 2));
    return;
  }
  fmt::print("active participant     {} ({})\n", terminal_safe(files.active.string()),
             counted(options.split[0], "feature"));
  for (std::size_t j = 0; j < files.passive.size(); ++j) {
    fmt::print("passive participant {}  {} ({})\n", j + 1, terminal_safe(files.passive[j].string()),
               counted(options.split[j + 1], "feature"));
  }
  fmt::print("environment            {} ({}, {})\n\nNext:\n  {}\n", terminal_safe(files.environment.string()),
             counted(options.steps, "step"), counted(options.arms, "arm"), next_command(files));
}

}  // namespace

void add_o3m_file_options(Command& command, O3mFiles& files) {
  command.add_option("--ap", files.active, "CSV of the active participant: t,arm,<features>, or user features")
      ->type_name("FILE");
  command.add_option("--passive", files.passive, "CSV of a passive participant, once each (1 to 7)")
      ->type_name("FILE")
      ->each_time();
  command
      .add_option("--arms-file", files.arms_file,
                  "CSV arm,<features> for user features: the active participant's, or with --combine sum known to all")
      ->type_name("FILE");
  command
      .add_option_function(
          "--combine", [&files](const std::string& text) { files.combine = parse_combine(text, "--combine"); },
          "User and arm features: \"concatenate\" (default), or \"sum\", the outer sum of both")
      ->type_name("HOW");
}

void add_o3m_command(Command& app, const Keys& keys) {
  Command* command =
      app.add_subcommand("o3m", "Run LinUCB or LinTS on features that several parties hold, behind one mask (O3M)");
  const auto options = std::make_shared<O3mOptions>();
  add_o3m_options(*command, *options);
  add_o3m_role_command(*command, keys);
  command->footer(
      "O3M is fast and no encryption: docs/explain/o3m.md tells what the active participant can learn.\n"
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

void add_o3m_role_command(Command& o3m, const Keys& keys) {
  Command* command = o3m.add_subcommand("role", "Run one role of an O3M run across machines, from its config");
  const auto arguments = std::make_shared<O3mRoleArguments>();
  add_role_options(*command, arguments->config, arguments->extras, o3m_program().settings);
  command->footer(
      "Each role is started by whoever owns its data, and only after acknowledging what the others learn "
      "(docs/explain/o3m.md): acknowledge_leakage = true in [run] or --acknowledge-leakage.\n"
      "A flag wins over a variable of the environment, a variable over the file, the file over the default.\n"
      "Examples:\n"
      "  sotto o3m role --config active/config.toml --acknowledge-leakage\n"
      "  sotto o3m role --config passive_1/config.toml --set run.steps=100 --print-config\n"
      "docs/guides/running-roles.md lists all keys; `sotto init --protocol o3m` writes configs, `sotto doctor` tries them.");
  command->callback([&keys, arguments] { run_o3m_role(keys, *arguments); });
}

void add_prepare_o3m_command(Command& prepare) {
  Command* command = prepare.add_subcommand("o3m", "Generated features of several participants, for sotto o3m");
  const auto arguments = std::make_shared<PrepareO3mArguments>();
  SyntheticO3m& options = arguments->options;
  options.output = std::filesystem::path("sotto-data") / "o3m";
  command->add_option("--steps", options.steps, "steps", whole());
  command->add_option("--arms", options.arms, "arms", whole());
  command->add_option("--split", arguments->split, "features of each participant, the active one's first")
      ->shows_default();
  command->add_option("--noise", options.noise_sd, "standard deviation of the rewards' noise", real_from_zero());
  command->add_option("--seed", options.seed, "seed of everything", whole());
  command->add_option("--out", options.output, "folder to write to")->shows_default();
  add_overwrite(*command, arguments->overwrite);
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->footer(
      "Contexts are uniform on the unit sphere, rewards linear in them.\n"
      "Examples:\n"
      "  sotto prepare o3m\n"
      "  sotto prepare o3m --steps 5000 --split 20,20,20,20,20 --seed 7 --out five-participants");
  command->callback([arguments] { run_prepare_o3m(*arguments); });
}

}  // namespace sotto::apps::o3m
