#include "apps/cli/prepare_o3m_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/cli/command_line.h"
#include "apps/data/prepare.h"
#include "apps/o3m/synthetic_files.h"

namespace sotto::apps {
namespace {

struct Arguments {
  SyntheticO3m options;
  std::string split = "10,10,10";
  bool json = false;
};

std::string next_command(const O3mFiles& files) {
  std::string command = "sotto o3m --ap " + shell_quoted(files.active.string());
  for (const auto& passive : files.passive) {
    command += " --passive " + shell_quoted(passive.string());
  }
  return command + fmt::format(" --environment {} --algorithm ucb --compare-central",
                               shell_quoted(files.environment.string()));
}

void run(const Arguments& arguments) {
  SyntheticO3m options = arguments.options;
  options.split = parse_split(arguments.split);
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
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("active participant     {} ({} features)\n", files.active.string(), options.split[0]);
  for (std::size_t j = 0; j < files.passive.size(); ++j) {
    fmt::print("passive participant {}  {} ({} features)\n", j + 1, files.passive[j].string(),
               options.split[j + 1]);
  }
  fmt::print("environment            {} ({} steps, {} arms)\n\nNext:\n  {}\n",
             files.environment.string(), options.steps, options.arms, next_command(files));
}

}  // namespace

void add_prepare_o3m_command(CLI::App& prepare) {
  CLI::App* command =
      prepare.add_subcommand("o3m", "Generated features of several participants, for sotto o3m");
  const auto arguments = std::make_shared<Arguments>();
  SyntheticO3m& options = arguments->options;
  options.output = std::filesystem::path("sotto-data") / "o3m";
  const auto not_negative = CLI::Range(
      std::uint64_t{0}, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  command->add_option("--steps", options.steps, "steps")
      ->check(not_negative)
      ->capture_default_str();
  command->add_option("--arms", options.arms, "arms")->check(not_negative)->capture_default_str();
  command
      ->add_option("--split", arguments->split,
                   "features of each participant, the active one's first")
      ->capture_default_str();
  command->add_option("--noise", options.noise_sd, "standard deviation of the rewards' noise")
      ->capture_default_str();
  command->add_option("--seed", options.seed, "seed of everything")
      ->check(not_negative)
      ->capture_default_str();
  command->add_option("--out", options.output, "folder to write to")->capture_default_str();
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->footer(
      "Contexts are uniform on the unit sphere, rewards linear in them.\n"
      "Examples:\n"
      "  sotto prepare o3m\n"
      "  sotto prepare o3m --steps 5000 --split 20,20,20,20,20 --seed 7 --out five-participants");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace sotto::apps
