#include "sotto/apps/robin/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/apps/kit/program/service_options.h"
#include "sotto/apps/kit/settings/command_config.h"
#include "sotto/apps/robin/command/robin_options.h"
#include "sotto/apps/robin/instance.h"
#include "sotto/apps/robin/roles/aggregator_role.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

struct RobinAggregatorArguments {
  RobinSettings settings;
  bool simulated = false;
  double deadline_seconds = 600;
  std::optional<std::uint64_t> insecure_seed;
  ListenArguments listen;
  KeyArguments key;
  std::filesystem::path report;
  // Between a launcher and this process.
  std::filesystem::path terms;
  std::size_t most_a_process = 1;
  bool quiet = false;
};

constexpr std::size_t most_bytes_of_terms = 4096;

RobinTerms terms_of(const RobinAggregatorArguments& arguments) {
  if (!arguments.terms.empty()) {
    const std::string text = read_file(arguments.terms, most_bytes_of_terms);
    const auto terms = decode_terms(std::as_bytes(std::span(text)));
    if (!terms) throw InputError(arguments.terms.string(), "these are no terms of a run");
    return *terms;
  }
  check_deadline(arguments.deadline_seconds);
  RobinTerms terms;
  terms.settings = checked(arguments.settings);
  terms.simulated = arguments.simulated;
  terms.deadline_seconds = arguments.deadline_seconds;
  if (arguments.simulated) {
    terms.settings = resolved(terms.settings, *simulated_instance(terms.settings));
  } else if (terms.settings.lambda_min == 0) {
    terms.settings.lambda_min = default_lambda_min(terms.settings);
  }
  return terms;
}

// Everybody who may join is known beforehand: else one could join as many.
void require_clients(const RobinAggregatorOptions& options) {
  const net::ServiceTrust& trust = options.service.trust;
  if (trust.plaintext) return;
  if (trust.anyone) {
    throw InputError("--trust",
                     "the clients of a run are known beforehand: give the fingerprint of each, not 'anyone'");
  }
  const std::size_t clients = options.terms.settings.clients;
  if (trust.trusted.size() * options.most_a_process >= clients) return;
  throw InputError("--trust", fmt::format("{} for {}: give that of each", counted(trust.trusted.size(), "fingerprint"),
                                          counted(clients, "client")));
}

void show(const RobinAggregatorReport& report) {
  for (const std::string& option : report.insecure) {
    fmt::print("INSECURE: {}. Do not use this run's protection for real data.\n", option);
  }
  if (report.decision.mode == RobinMode::local) {
    fmt::print("played locally, nothing released: {}\n", report.decision.why);
  }
  fmt::print("{}, epsilon {:.4g} spent of {:g}, delta {:g}\n", counted(report.releases.size(), "release"),
             report.epsilon_spent, report.epsilon, report.delta);
}

void run_robin_aggregator(const RobinAggregatorArguments& arguments) {
  catch_interrupts();
  RobinAggregatorOptions options;
  options.terms = terms_of(arguments);
  options.service = service_config(arguments.listen, arguments.key, robin_service_name);
  options.most_a_process = arguments.most_a_process;
  options.insecure_seed = arguments.insecure_seed;
  options.report = arguments.report;
  if (!arguments.quiet) options.say = say;
  require_clients(options);
  show(run_robin_aggregator(options, interrupted()));
}

}  // namespace

void add_robin_aggregator_command(Command& robin) {
  Command* command =
      robin.add_subcommand("aggregator", "Run the aggregator of a ROBIN run, which all its clients trust");
  const auto arguments = std::make_shared<RobinAggregatorArguments>();
  add_robin_settings(*command, arguments->settings);
  add_robin_simulation(*command, arguments->settings);
  command->add_flag("--simulated", arguments->simulated,
                    "Clients play the simulated instance instead of data of their own");
  add_robin_deadline(*command, arguments->deadline_seconds);
  add_robin_insecure_seed(*command, arguments->insecure_seed);
  add_key_options(*command, arguments->key);
  add_listen_options(*command, arguments->listen, "clients", trusted_client);
  command->add_option("--report", arguments->report, "Write the releases and what they cost here")->type_name("FILE");
  command->add_option("--terms", arguments->terms, "Terms of a launcher")->group("");
  command->add_option("--most-a-process", arguments->most_a_process, "Clients of one process")
      ->number(whole(1))
      ->group("");
  command->add_flag("--quiet", arguments->quiet, "Say nothing on the way")->group("");
  add_command_config(*command, {"aggregator", &arguments->key, &arguments->listen});
  command->footer(
      "It sees the estimate of every client: whoever runs it is trusted by all of them. What it sends is "
      "differentially private.\n"
      "Example:\n"
      "  sotto robin aggregator --listen 0.0.0.0:7200 --key aggregator.pem --clients 2 --eps 500 --dim 8 --arms 10 "
      "--horizon 1022 --trust sha256:... --trust sha256:...\n"
      "docs/robin.md goes through a run between companies.");
  command->callback([command, arguments] {
    choose_noise(*command, arguments->settings);
    run_robin_aggregator(*arguments);
  });
}

}  // namespace sotto::apps
