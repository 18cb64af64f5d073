#include "apps/cli/init_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>

#include "apps/init/deployment.h"

namespace sotto::apps {
namespace {

constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

struct Arguments {
  DeploymentOptions deployment;
  std::vector<std::string> hosts;
  std::string rewards = "binary";
  std::filesystem::path out = "sotto-roles";
};

void tell_next_steps(const Arguments& arguments, const std::vector<RoleConfig>& roles) {
  const RunConfig& run = arguments.deployment.run;
  for (const RoleConfig& role : roles) {
    const auto own = role.peers.find(folder_name(role));
    fmt::print("{:<10} {}  {}\n", role.name(),
               (arguments.out / folder_name(role) / "config.toml").string(),
               own == role.peers.end() ? "connects only" : own->second);
  }
  fmt::print("\n{} steps, {} arms, epsilon {}; all roles must have these alike.\n", run.steps,
             run.arms, run.epsilon);
  if (run.insecure_shared_keys) {
    fmt::print(
        "INSECURE: the keys of all roles were made here. Results will say so.\n"
        "Put data.csv into the parties' folders and environment.csv into that of the role that "
        "gets the rewards, then start every role.\n");
    return;
  }
  fmt::print(
      "Give each folder to whoever runs the role, and nobody else's. There:\n"
      "  1. make the key            sotto keys new\n"
      "  2. tell each other         sotto keys show, by a channel that you trust\n"
      "  3. trust all roles         sotto keys trust\n"
      "  4. try names and ports     sotto doctor --config config.toml\n"
      "  5. start                   sotto party --config config.toml, dealer, actor\n"
      "README.txt in each folder has this in full.\n");
}

void run(Arguments& arguments) {
  arguments.deployment.run.binary_rewards = arguments.rewards == "binary";
  for (const std::string& host : arguments.hosts) add_host(host, arguments.deployment.hosts);
  const std::vector<RoleConfig> roles = plan_deployment(arguments.deployment);
  write_deployment(roles, arguments.out);
  tell_next_steps(arguments, roles);
}

void add_options(CLI::App& command, Arguments& arguments) {
  RunConfig& run = arguments.deployment.run;
  run.steps = 1000;
  run.arms = 10;
  command.add_option("--parties", run.parties, "Compute parties, 2 to 8")
      ->required()
      ->check(CLI::Range(std::size_t{2}, std::size_t{max_parties}));
  command.add_flag("--separate-rewarder", run.separate_rewarder,
                   "The rewarder is a role of its own, not the actor");
  command
      .add_option("--host", arguments.hosts,
                  "Where others reach a role, once for each party and the dealer; by default "
                  "localhost, ports 7100 and up")
      ->type_name("ROLE=HOST:PORT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--steps", run.steps, "Steps of the run")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, most));
  command.add_option("--arms", run.arms, "Arms")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
  command.add_option("--epsilon", run.epsilon, "Probability of exploring, 0 to 1")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--bits", run.bits, "Fraction bits, 12 to 24")
      ->capture_default_str()
      ->check(CLI::Range(12u, 24u));
  command.add_option(
      "--max-norm", run.max_norm,
      "Public bound on the norm of a context (default: from the parties' announced bounds)");
  command.add_option("--rewards", arguments.rewards, "binary, all 0 or 1, or real, in [-1, 1]")
      ->capture_default_str()
      ->check(CLI::IsMember({"binary", "real"}));
  command.add_flag("--deal-ahead", run.deal_ahead, "Deal all correlations before the first step");
  command.add_flag("--reveal-model", run.reveal_model, "Open the model to the parties at the end");
  command
      .add_option("--checkpoint-every", run.checkpoint_every,
                  "Steps between checkpoints that a run can be resumed from; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, most));
  command.add_flag("--insecure-shared-keys", run.insecure_shared_keys,
                   "Make the keys of all roles here: for trials of one person");
  command.add_option("--out", arguments.out, "Folder to make")
      ->type_name("DIR")
      ->capture_default_str();
}

}  // namespace

void add_init_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("init", "Write a set of configs for a run across several machines");
  const auto arguments = std::make_shared<Arguments>();
  add_options(*command, *arguments);
  command->footer(
      "Examples:\n"
      "  sotto init --parties 2 --steps 1797 --arms 10 --out trial --insecure-shared-keys\n"
      "  sotto init --parties 2 --host party_0=sotto.a.example:7100 --host "
      "party_1=sotto.b.example:7100 --host dealer=dealer.c.example:7100 --checkpoint-every 1000\n"
      "docs/running-roles.md has the whole way from two organisations to a run.");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace sotto::apps
