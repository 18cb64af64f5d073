#include "sotto/apps/o3m/command/o3m_options.h"

#include <string>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/out_options.h"
#include "sotto/apps/kit/settings/config_options.h"

namespace sotto::apps {
namespace {

constexpr const char* required[] = {"--ap", "--passive", "--environment", "--algorithm"};

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
  for (const char* name : required) {
    if (command.count(name) == 0) throw UsageError(std::string(name) + " is required");
  }
}

}  // namespace sotto::apps
