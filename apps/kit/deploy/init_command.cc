#include "sotto/apps/kit/deploy/init_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "sotto/apps/kit/deploy/deployment.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

struct Arguments {
  DeploymentOptions deployment;
  std::vector<std::string> hosts;
  std::string rewards = "binary";
  std::string protocol = "bandit";
  std::string algorithm = "ucb";
  std::string mask_generator = third_party;
  O3mRun o3m;
  std::filesystem::path out = "sotto-roles";
};

void tell_next_steps(const Arguments& arguments, const std::vector<RoleConfig>& roles) {
  const RunConfig& run = arguments.deployment.run;
  for (const RoleConfig& role : roles) {
    const auto own = role.peers.find(folder_name(role));
    fmt::print("{:<{}} {}  {}\n", role.name(), run.o3m ? 21 : 10,
               terminal_safe((arguments.out / folder_name(role) / "config.toml").string()),
               own == role.peers.end() ? "connects only" : own->second);
  }
  fmt::print("\n{}, {}, {}; all roles must have these alike.\n", counted(run.steps, "step"),
             counted(run.arms, "arm"),
             run.o3m ? arguments.algorithm : fmt::format("epsilon {}", run.epsilon));
  const bool o3m = run.o3m.has_value();
  if (run.insecure_shared_keys) {
    fmt::print(
        "INSECURE: the keys of all roles were made here. Results will say so.\n"
        "Put {} and environment.csv into that of {}, then start every role{}.\n",
        o3m ? "contexts.csv into the participants' folders" : "data.csv into the parties' folders",
        o3m ? "the active participant" : "the role that gets the rewards",
        o3m ? " with --acknowledge-leakage" : "");
    return;
  }
  fmt::print(
      "Give each folder to whoever runs the role, and nobody else's. There:\n"
      "  1. make the key            sotto keys new\n"
      "  2. tell each other         sotto keys show, by a channel that you trust\n"
      "  3. trust all roles         sotto keys trust\n"
      "  4. try names and ports     sotto doctor --config config.toml\n"
      "  5. start                   {}\n"
      "README.txt in each folder has this in full.\n",
      o3m ? "sotto o3m role --config config.toml"
          : "sotto party --config config.toml, dealer, actor");
}

// O3M takes no flag that only the private bandit has, and the other way round.
void refuse_flags_of_others(const CLI::App& command, bool o3m) {
  const std::vector<std::string> others =
      o3m ? std::vector<std::string>{"--parties",      "--separate-rewarder",
                                     "--epsilon",      "--bits",
                                     "--max-norm",     "--joint-norm-holds",
                                     "--rewards",      "--deal-ahead",
                                     "--reveal-model", "--checkpoint-every"}
          : std::vector<std::string>{
                "--participants", "--mask-generator", "--algorithm", "--beta", "--v",
                "--lambda",       "--insecure-blocks"};
  for (const std::string& flag : others) {
    if (command.count(flag) == 0) continue;
    throw InputError(
        flag, fmt::format("this is of runs of {}, and this set is for {} "
                          "(--protocol bandit or o3m)",
                          o3m ? "the private bandit" : "O3M", o3m ? "O3M" : "the private bandit"));
  }
  const char* count = o3m ? "--participants" : "--parties";
  if (command.count(count) == 0) throw InputError(count, "is required: 2 to 8");
}

std::optional<NodeId> parse_mask_generator(const std::string& text) {
  if (text == third_party) return std::nullopt;
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '7') {
    return static_cast<NodeId>(text[0] - '0');
  }
  throw InputError("--mask-generator",
                   fmt::format("'{}' is neither \"{}\" nor the number of a passive participant",
                               text, third_party));
}

void run(const CLI::App& command, Arguments& arguments) {
  RunConfig& planned = arguments.deployment.run;
  const bool o3m = arguments.protocol == "o3m";
  refuse_flags_of_others(command, o3m);
  if (o3m) {
    planned.o3m = arguments.o3m;
    planned.o3m->algorithm =
        arguments.algorithm == "ucb" ? LinearAlgorithm::ucb : LinearAlgorithm::ts;
    planned.o3m->mask_generator = parse_mask_generator(arguments.mask_generator);
  }
  arguments.deployment.run.binary_rewards = arguments.rewards == "binary";
  for (const std::string& host : arguments.hosts) add_host(host, arguments.deployment.hosts);
  const std::vector<RoleConfig> roles = plan_deployment(arguments.deployment);
  write_deployment(roles, arguments.out);
  tell_next_steps(arguments, roles);
}

void add_o3m_options(CLI::App& command, Arguments& arguments) {
  constexpr const char* group = "O3M";
  O3mRun& o3m = arguments.o3m;
  command
      .add_option("--participants", arguments.deployment.run.parties,
                  "The active participant and the passive ones, 2 to 8")
      ->transform(whole(2, max_parties))
      ->group(group);
  command
      .add_option("--mask-generator", arguments.mask_generator,
                  "\"third party\", or the number of a passive participant")
      ->capture_default_str()
      ->group(group);
  command.add_option("--algorithm", arguments.algorithm, "ucb, LinUCB, or ts, LinTS")
      ->capture_default_str()
      ->check(CLI::IsMember({"ucb", "ts"}))
      ->group(group);
  command.add_option("--beta", o3m.beta, "LinUCB: weight of the confidence width")
      ->capture_default_str()
      ->transform(real_from_zero())
      ->group(group);
  command.add_option("--v", o3m.v, "LinTS: standard deviation of the sampling")
      ->capture_default_str()
      ->transform(real_from_zero())
      ->group(group);
  command.add_option("--lambda", o3m.lambda, "Of the ridge regression")
      ->capture_default_str()
      ->transform(real_above_zero())
      ->group(group);
  command
      .add_flag("--insecure-blocks", o3m.insecure_blocks,
                "The active participant sees each masked block, not their sum alone")
      ->group(group);
}

void add_options(CLI::App& command, Arguments& arguments) {
  RunConfig& run = arguments.deployment.run;
  run.steps = 1000;
  run.arms = 10;
  command
      .add_option("--protocol", arguments.protocol,
                  "bandit, the private bandit, or o3m (docs/o3m.md)")
      ->capture_default_str()
      ->check(CLI::IsMember({"bandit", "o3m"}));
  command.add_option("--parties", run.parties, "Compute parties of the private bandit, 2 to 8")
      ->transform(whole(2, max_parties));
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
      ->transform(whole(1));
  command.add_option("--arms", run.arms, "Arms")->capture_default_str()->transform(whole(1, 1024));
  command.add_option("--epsilon", run.epsilon, "Probability of exploring, 0 to 1")
      ->capture_default_str()
      ->transform(real(0.0, 1.0));
  command.add_option("--bits", run.bits, "Fraction bits, 12 to 24")
      ->capture_default_str()
      ->transform(whole(12, 24));
  command
      .add_option(
          "--max-norm", run.max_norm,
          "Public bound on the norm of a context (default: from the parties' announced bounds)")
      ->transform(real_above_zero());
  command
      .add_flag("--joint-norm-holds", run.joint_norm_holds,
                "Somebody has seen that joint rows keep to --max-norm, as `sotto prepare` does")
      ->needs("--max-norm");
  command.add_option("--rewards", arguments.rewards, "binary, all 0 or 1, or real, in [-1, 1]")
      ->capture_default_str()
      ->check(CLI::IsMember({"binary", "real"}));
  command.add_flag("--deal-ahead", run.deal_ahead, "Deal all correlations before the first step");
  command.add_flag("--reveal-model", run.reveal_model, "Open the model to the parties at the end");
  command
      .add_option("--checkpoint-every", run.checkpoint_every,
                  "Steps between checkpoints that a run can be resumed from; 0: none")
      ->capture_default_str()
      ->transform(whole());
  add_o3m_options(command, arguments);
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
      "  sotto init --protocol o3m --participants 3 --steps 1000 --arms 10 --out run\n"
      "docs/running-roles.md has the whole way from two organisations to a run.");
  command->callback([command, arguments] { run(*command, *arguments); });
}

}  // namespace sotto::apps
