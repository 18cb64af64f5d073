#include "apps/robin/commands.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/kit/dp/budget.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/say.h"
#include "apps/kit/program/service_options.h"
#include "apps/kit/settings/command_config.h"
#include "apps/robin/instance.h"
#include "apps/robin/roles/local.h"
#include "apps/robin/roles/roles.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

struct RobinAggregatorArguments {
  RobinAggregatorOptions options;
  ListenArguments listen;
  KeyArguments key;
  std::filesystem::path terms;
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
  RobinTerms terms = arguments.options.terms;
  check_deadline(terms.deadline_seconds);
  terms.settings = checked(terms.settings);
  if (terms.simulated) {
    terms.settings = resolved(terms.settings, *simulated_instance(terms.settings));
  } else if (terms.settings.lambda_min == 0) {
    terms.settings.lambda_min = default_lambda_min(terms.settings);
  }
  return terms;
}

// Without the keys of all clients, one client could join as if it were many clients.
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

void run_robin_aggregator(RobinAggregatorArguments& arguments) {
  catch_interrupts();
  RobinAggregatorOptions& options = arguments.options;
  options.terms = terms_of(arguments);
  options.service = service_config(arguments.listen, arguments.key, robin_service_name);
  if (!arguments.quiet) options.say = say;
  require_clients(options);
  show(run_robin_aggregator(options, interrupted()));
}

constexpr double agreed_delta = 1e-5;

struct RobinClientArguments {
  RobinClientOptions options;
  ConnectArguments connect;
  KeyArguments key;
  unsigned retry_seconds = 300;
  bool quiet = false;
};

void require_key(const KeyArguments& key) {
  if (key.plaintext || !key.key.empty()) return;
  throw InputError("--key",
                   "the aggregator knows its clients by their keys: `sotto keys new --out client.pem` makes one");
}

void require_clients(const RobinClientOptions& options) {
  if (options.files.empty() == (options.simulated == 0)) {
    throw InputError("--client", "give the client's file, or --simulated for a client of a trial");
  }
}

// Without --eps, the client would join runs that promise no privacy.
void require_promise(const RobinClientOptions& options) {
  if (!options.most_epsilon) {
    throw InputError("--eps",
                     "say which promise is the weakest that this client accepts, as it was agreed on: --eps 1, say; a "
                     "run with a larger epsilon is then not joined");
  }
  check_privacy(*options.most_epsilon, options.most_delta.value_or(agreed_delta));
}

void show(const RobinClientReport& report) {
  double reward = 0;
  double regret = 0;
  std::uint64_t features = 0;
  std::uint64_t rewards = 0;
  for (const PhaseReport& phase : report.phases) {
    reward += phase.reward;
    regret += phase.regret;
    features += phase.features_clipped;
    rewards += phase.rewards_clipped;
  }
  fmt::print("{}: reward {:.6g}, regret {:.6g}, {} and {} clipped\n", report.cost.role, reward, regret,
             counted(features, "feature vector"), counted(rewards, "reward"));
}

void run_robin_client(RobinClientArguments& arguments) {
  catch_interrupts();
  RobinClientOptions& options = arguments.options;
  require_clients(options);
  options.connection = client_config(arguments.connect, arguments.key, robin_service_name);
  options.connection.retry_for = std::chrono::seconds(arguments.retry_seconds);
  require_key(arguments.key);
  require_promise(options);
  if (!arguments.quiet) options.say = say;
  const RobinClientReport report = run_robin_client(options, interrupted());
  if (!arguments.quiet) show(report);
}

}  // namespace

void add_robin_aggregator_command(Command& robin) {
  Command* command =
      robin.add_subcommand("aggregator", "Run the aggregator of a ROBIN run, which all its clients trust");
  const auto arguments = std::make_shared<RobinAggregatorArguments>();
  RobinAggregatorOptions& options = arguments->options;
  options.terms.simulated = false;
  add_robin_settings(*command, options.terms.settings);
  add_robin_simulation(*command, options.terms.settings);
  command->add_flag("--simulated", options.terms.simulated,
                    "Clients play the simulated instance instead of data of their own");
  add_robin_deadline(*command, options.terms.deadline_seconds);
  add_robin_insecure_seed(*command, options.insecure_seed);
  add_key_options(*command, arguments->key);
  add_listen_options(*command, arguments->listen, "clients", trusted_client);
  command->add_option("--report", options.report, "Write the releases and what they cost here")->type_name("FILE");
  command->add_option("--terms", arguments->terms, "Terms of a launcher")->group("");
  command->add_option("--most-a-process", options.most_a_process, "Clients of one process")
      ->number(whole(1))
      ->group("");
  command->add_flag("--quiet", arguments->quiet, "Say nothing on the way")->group("");
  add_command_config(*command, {"aggregator", &arguments->key, &arguments->listen});
  command->footer(
      "It sees the estimate of every client, so all clients must trust the person who runs it. All that it sends is "
      "differentially private.\n"
      "Example:\n"
      "  sotto robin aggregator --listen 0.0.0.0:7200 --key aggregator.pem --clients 2 --eps 500 --dim 8 --arms 10 "
      "--horizon 1022 --trust sha256:... --trust sha256:...\n"
      "docs/explain/robin.md goes through a run between companies.");
  command->callback([command, arguments] {
    choose_noise(*command, arguments->options.terms.settings);
    run_robin_aggregator(*arguments);
  });
}

void add_robin_client_command(Command& robin) {
  Command* command = robin.add_subcommand("client", "Run one client of a ROBIN run, on its own data");
  const auto arguments = std::make_shared<RobinClientArguments>();
  RobinClientOptions& options = arguments->options;
  command->add_option("--client", options.files, "The client's CSV: t,arm,<features>,reward[,mean]; it stays here")
      ->type_name("FILE")
      ->each_time();
  command->add_option("--simulated", options.simulated, "So many clients of a simulation, without data, instead")
      ->number(whole())
      ->type_name("N");
  command->add_option("--number", options.number, "Number of this client in the run, from 0, different for each client")
      ->number(whole())
      ->shows_default();
  command->add_option("--eps", options.most_epsilon, "Join no run that promises a larger epsilon than this (required)")
      ->number(real());
  options.most_delta = agreed_delta;
  command->add_option("--delta", options.most_delta, "Join no run that promises a larger delta than this")
      ->number(real())
      ->shows("1e-05");
  add_key_options(*command, arguments->key);
  add_connect_options(*command, arguments->connect, "the aggregator");
  command
      ->add_option("--retry", arguments->retry_seconds,
                   "Seconds to try again for, where the aggregator is not there yet")
      ->number(whole(0, 1000000))
      ->shows_default();
  command->add_option("--report", options.report, "Write what this client earned and missed here, for its owner")
      ->type_name("FILE");
  command->add_option("--progress-descriptor", options.progress_descriptor, "An inherited pipe for progress lines")
      ->number(whole(0, largest_descriptor))
      ->group("");
  command->add_flag("--quiet", arguments->quiet, "Say nothing on the way")->group("");
  add_command_config(*command, {"client", &arguments->key, nullptr, {{&arguments->connect, robin_service_name}}});
  command->footer(
      "The aggregator sees this client's estimates, and nothing else of it.\n"
      "Example:\n"
      "  sotto robin client --connect aggregator.example:7200 --trust sha256:... --key client.pem --number 0 --client "
      "log.csv --eps 1\n"
      "docs/explain/robin.md goes through a run between companies.");
  command->callback([arguments] { run_robin_client(*arguments); });
}

}  // namespace sotto::apps::robin
