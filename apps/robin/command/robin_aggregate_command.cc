#include "sotto/apps/robin/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/apps/robin/aggregate/aggregate_file.h"
#include "sotto/apps/robin/settings.h"

namespace sotto::apps {
namespace {

struct RobinAggregateArguments {
  AggregateFileOptions options;
  bool json = false;
};

void run_robin_aggregate(const RobinAggregateArguments& arguments) {
  const AggregateFileResult result = aggregate_file(arguments.options);
  const std::string text =
      arguments.json ? json_text(to_json(result), 2) + "\n" : to_text(result, use_colour(STDOUT_FILENO));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (const auto doubt = doubt_of(result)) say(fmt::format("sotto: {}", *doubt));
}

void add_privacy(Command& command, AggregateFileOptions& options) {
  command.add_option("--eps", options.epsilon, "Budget of this release")->number(real())->shows_default();
  command.add_option("--delta", options.delta, "Budget of this release")->number(real())->shows_default();
  command
      .add_option_function(
          "--composition",
          [&options](const std::string& text) { options.composition = parse_composition(text, "--composition"); },
          "Account: \"zcdp\", \"basic\" or \"nested\" (default: the better of zcdp and basic)")
      ->type_name("HOW");
  command
      .add_option_function(
          "--noise", [&options](const std::string& text) { options.noise = parse_noise(text, "--noise"); },
          "\"gaussian\" (default with zcdp, and only there) or \"laplace\"")
      ->type_name("KIND");
  command
      .add_option("--insecure-seed", options.insecure_seed, "Repeatable noise that everybody can subtract. For tests")
      ->number(whole())
      ->type_name("N");
}

}  // namespace

void add_robin_aggregate_command(Command& robin) {
  Command* command =
      robin.add_subcommand("aggregate", "The private mean of estimates in a file, one a row (WinsorizedMeanHighD)");
  const auto arguments = std::make_shared<RobinAggregateArguments>();
  AggregateFileOptions& options = arguments->options;
  command->add_option("--estimates", options.estimates, "One estimate a row; a header is optional")
      ->type_name("FILE")
      ->required();
  command->add_option("--bound", options.bound, "On the norm of an estimate; longer ones are cut")
      ->number(real())
      ->required();
  command->add_option("--tau", options.tau, "Most estimates are within tau of their mean, in every coordinate")
      ->number(real())
      ->required();
  command
      ->add_option("--around", options.around,
                   "Clip round this estimate, for example the last release, instead of looking for a range")
      ->type_name("FILE");
  add_privacy(*command, options);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer(
      "The mean is differentially private for each whole estimate: another one in its place changes hardly anything.\n"
      "Every run spends its budget anew: two runs on the same estimates cost both.\n"
      "Example:\n"
      "  sotto robin aggregate --estimates estimates.csv --bound 1 --tau 0.1 --eps 1 --delta 1e-5");
  command->callback([arguments] { run_robin_aggregate(*arguments); });
}

}  // namespace sotto::apps
