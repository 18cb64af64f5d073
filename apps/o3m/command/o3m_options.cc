#include "sotto/apps/o3m/command/o3m_options.h"

#include <string>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/kit/program/out_options.h"

namespace sotto::apps {
namespace {

constexpr const char* required[] = {"--ap", "--passive", "--environment", "--algorithm"};

void add_files(Command& command, O3mOptions& options) {
  command.add_option("--ap", options.files.active, "CSV of the active participant: t,arm,<features>, or user features")
      ->type_name("FILE");
  command.add_option("--passive", options.files.passive, "CSV of a passive participant, once each (1 to 7)")
      ->type_name("FILE")
      ->each_time();
  command
      .add_option("--environment", options.files.environment,
                  "CSV t,arm,reward[,mean]: what each arm earns in each step; with mean, regret")
      ->type_name("FILE");
  command
      .add_option("--arms-file", options.files.arms_file,
                  "CSV arm,<features> for user features: the active participant's, or with --combine sum known to all")
      ->type_name("FILE");
  command
      .add_option_function(
          "--combine",
          [&options](const std::string& text) { options.files.combine = parse_combine(text, "--combine"); },
          "User and arm features: \"concatenate\" (default), or \"sum\", the outer sum of both")
      ->type_name("HOW");
}

void add_insecure(Command& command, O3mOptions& options) {
  command.add_flag("--insecure-blocks", options.insecure_blocks,
                   "The active participant sees the masked block of each one, not their sum alone");
  command
      .add_option("--insecure-seed", options.insecure_seed,
                  "Repeatable randomness: anybody can then undo the mask. For tests")
      ->type_name("N")
      ->number(whole());
  command.add_flag("--insecure-plaintext", options.insecure_plaintext,
                   "Links without TLS: everybody on the way reads them. For measurements");
  command.add_flag(
      "--acknowledge-leakage", options.acknowledge_leakage,
      "You know what the active participant can learn. Written down; required where several companies run the roles");
}

}  // namespace

void add_o3m_options(Command& command, O3mOptions& options) {
  add_files(command, options);
  command
      .add_option_function(
          "--algorithm",
          [&options](const std::string& text) { options.algorithm = parse_algorithm(text, "--algorithm"); },
          "\"ucb\" (LinUCB) or \"ts\" (LinTS)")
      ->type_name("NAME");
  command.add_option("--beta", options.beta, "LinUCB: weight of the confidence width")
      ->number(real_from_zero())
      ->shows_default();
  command.add_option("--v", options.v, "LinTS: standard deviation of the sampling")
      ->number(real_from_zero())
      ->shows_default();
  command.add_option("--lambda", options.lambda, "The ridge, above 0")->number(real_above_zero())->shows_default();
  command.add_option("--steps", options.steps, "Steps (default: those of the files)")->number(whole(1));
  command
      .add_option("--mask-generator", options.mask_generator,
                  "Who draws the mask: \"third-party\", or the number of a passive participant; never the active one")
      ->type_name("WHO")
      ->shows_default();
  command.add_flag("--compare-central", options.compare_central,
                   "Play the same on all features in one place, and compare (local simulation)");
  add_insecure(command, options);
  command.add_option("--out", options.out, "Folder for run.json and report.html (default: sotto-runs/<time>-<id>)")
      ->type_name("DIR");
  add_overwrite(command, options.overwrite);
  command.add_flag("--json", options.json, "Print one JSON object; without --out nothing is written");
}

void require_o3m_files(const Command& command) {
  for (const char* name : required) {
    if (command.count(name) == 0) throw UsageError(std::string(name) + " is required");
  }
}

}  // namespace sotto::apps
