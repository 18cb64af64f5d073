#include "apps/o3m/commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/files/json_text.h"
#include "apps/kit/program/about.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/number_options.h"
#include "apps/kit/program/out_options.h"
#include "apps/o3m/synthetic_files.h"
#include "apps/prepare/command/prepare.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::o3m {
namespace {

struct PrepareO3mArguments {
  SyntheticO3m options;
  std::string split = "10,10,10";
  bool overwrite = false;
  bool json = false;
};

// For any number of participants.
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
