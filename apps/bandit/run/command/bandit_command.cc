#include "apps/bandit/run/command/commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/run/sites/world_site.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/settings/config_options.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

void check_world(const Command& command, BanditOptions& options) {
  static_cast<void>(world_path(options.world, "--world"));
  for (const char* flag :
       {"--party", "--owner", "--computing-only", "--environment", "--compare-plaintext", "--compare-parts",
        "--no-compare-parts", "--baseline", "--reward-unit", "--checkpoint-every", "--from"}) {
    if (command.count(flag) > 0) throw UsageError(fmt::format("--world excludes {}", flag));
  }
  for (const char* flag : {"--columns", "--arms", "--steps"}) {
    if (command.count(flag) == 0) throw UsageError(fmt::format("{} is required with --world", flag));
  }
  if (options.columns.size() < 2 || options.columns.size() > max_parties) {
    throw InputError("--columns",
                     fmt::format("a run has 2 to {} parties, {} given", max_parties, options.columns.size()));
  }
  if (!options.run.max_norm) options.run.max_norm = 1;
  options.world = "unix:" + std::filesystem::absolute(world_path(options.world, "--world")).string();
  static_cast<void>(world_path(options.world, "--world"));
}

void check_log(const Command& command, BanditOptions& options) {
  for (const char* flag :
       {"--environment", "--compare-plaintext", "--compare-parts", "--no-compare-parts", "--baseline", "--reward-unit",
        "--reward-lag", "--separate-rewarder", "--pull-delay", "--reward-delay", "--repeat"}) {
    if (command.count(flag) > 0) throw UsageError(fmt::format("--log excludes {}", flag));
  }
  if (command.count("--party") + command.count("--owner") == 0) throw UsageError("--party is required with --log");
  options.run.task = BanditTask::learn;
  options.keeps_model = true;
  options.chooses_batch = command.count("--batch") == 0;
}

void check_from(const Command& command, BanditOptions& options) {
  for (const char* flag : {"--compare-plaintext", "--compare-parts"}) {
    if (command.count(flag) > 0) {
      throw UsageError(fmt::format("--from excludes {}: the model of before is not open to plain text", flag));
    }
  }
  options.chooses_batch = command.count("--batch") == 0;
}

void add_money_options(Command& command, BanditOptions& options) {
  command
      .add_option("--reward-unit", options.money.unit,
                  "Unit of a reward of 1, such as EUR: the result says in money what the run is worth")
      ->type_name("UNIT")
      ->needs("--events-per-month");
  command.add_option("--events-per-month", options.money.events_per_month, "Events of a month, for --reward-unit")
      ->number(real_above_zero())
      ->needs("--reward-unit");
}

void refuse_beside_resume(const Command& command) {
  for (const auto& option : command.options()) {
    if (option->count() == 0 || option->flag == "--resume" || option->flag == "--json") continue;
    throw UsageError(
        fmt::format("--resume excludes {}: a run continues with the settings that it began with", option->flag));
  }
}

}  // namespace

void add_bandit_command(Command& app) {
  Command* command =
      app.add_subcommand("bandit", "Run the private epsilon-greedy bandit, every role a process on this machine");
  const auto options = std::make_shared<BanditOptions>();
  const auto resumed = std::make_shared<std::filesystem::path>();
  const auto real_rewards = std::make_shared<bool>(false);
  add_bandit_options(*command, *options);
  command->option("--party")->required(false);
  command->option("--environment")->required(false);
  command
      ->add_option("--world", options->world,
                   "Instead of these files: a simulator that listens at PATH and speaks JSON lines")
      ->type_name("unix:PATH");
  command->add_option("--columns", options->columns, "With --world: features of each party, such as 10,10")
      ->separated_by(',')
      ->type_name("N,...")
      ->number(whole(1, 65536));
  command->add_flag("--real-rewards", *real_rewards, "With --world: rewards in [-1, 1], not only 0 or 1");
  command
      ->add_option("--log", options->log,
                   "Instead of the environment: the log of earlier play, CSV with arm, reward, and optionally "
                   "propensity and id; the model learns from it, and nothing is decided")
      ->type_name("FILE");
  add_log_options(*command, *options);
  command->add_flag("--compare-parts", options->compare_parts,
                    "Also play each company's features by themselves, in plain text (the default; local simulation "
                    "only)");
  command->add_flag_callback(
      "--no-compare-parts", [options] { options->compare_parts = false; }, "Play no company by itself");
  command
      ->add_option("--baseline", options->baseline,
                   "Arm that is played today: the result says how much more the run earns than this arm in every step")
      ->type_name("ARM")
      ->number(whole(0, 1023));
  add_money_options(*command, *options);
  Option* const resume_option =
      command->add_option("--resume", *resumed, "Continue the run whose --out this was, from its last checkpoint")
          ->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  sotto bandit --party a.csv --party b.csv --environment labels.csv --epsilon 0.1\n"
      "  sotto bandit --party a.csv --party b.csv --party c.csv --environment labels.csv --steps 60000 --json\n"
      "  sotto bandit --party a.csv --party b.csv --environment labels.csv --max-norm 1 --repeat 5 --out results\n"
      "  sotto bandit --party a.csv --party b.csv --environment labels.csv --checkpoint-every 1000 --out run1\n"
      "  sotto bandit --resume run1\n"
      "  sotto bandit --world unix:world.sock --columns 10,10 --arms 5 --steps 1000\n"
      "  sotto bandit --party a.csv --party b.csv --environment labels.csv --max-norm 1 --batch 256 --reward-lag 1000\n"
      "  sotto bandit --preprocessing replicated --computing-only 3 --owner a.csv --owner b.csv --environment "
      "labels.csv\n"
      "  sotto bandit --party a.csv --party b.csv --log log.csv --max-norm 1 --out learned\n"
      "  sotto bandit --party a.csv --party b.csv --environment labels.csv --max-norm 1 --from learned");
  command->callback([=] {
    if (resume_option->count() > 0) {
      refuse_beside_resume(*command);
      return resume_bandit(*resumed, options->json);
    }
    if (command->count("--world") > 0) {
      check_world(*command, *options);
    } else if (command->count("--log") > 0) {
      check_log(*command, *options);
    } else {
      for (const char* flag : {"--party", "--environment"}) {
        const bool only_owners = flag == std::string("--party") && command->count("--owner") > 0;
        if (command->count(flag) == 0 && !only_owners) {
          throw UsageError(fmt::format("{} is required, or --world{}", flag,
                                       flag == std::string("--environment") ? " or --log" : ""));
        }
      }
      for (const char* flag : {"--reward-scale", "--clip-rewards"}) {
        if (command->count(flag) > 0) throw UsageError(fmt::format("{} needs --log", flag));
      }
    }
    if (command->count("--from") > 0) check_from(*command, *options);
    if (command->count("--world") == 0) {
      for (const char* flag : {"--columns", "--real-rewards"}) {
        if (command->count(flag) > 0) throw UsageError(fmt::format("{} needs --world", flag));
      }
    }
    options->run.binary_rewards = !*real_rewards;
    run_bandit(*options);
  });
}

void add_bandit_options(Command& command, BanditOptions& options) {
  command.add_option("--party", options.parties, "CSV of a party's features, once a party (2 to 8)")
      ->required()
      ->type_name("FILE")
      ->each_time();
  command
      .add_option("--owner", options.owners,
                  "CSV of the features of an organisation that does not compute, once an owner (up to 8)")
      ->type_name("FILE")
      ->each_time();
  command
      .add_option("--environment", options.environment,
                  "CSV with `label` or `reward_0` ..: what each arm earns in each row")
      ->required()
      ->type_name("FILE");
  add_run_options(command, options.run);
  add_setting_option(command, options.run, "run.computing_only")->help =
      "Further compute parties, which bring no features";
  command.option("--steps")->help = "Steps; beyond the rows they wrap round (default: each row once)";
  command.option("--arms")->help = "More arms than there are labels";
  command.option("--joint-norm-holds")->needs("--max-norm");
  command.option("--checkpoint-every")->help =
      "Keep every role's state in DIR/state each N steps: --resume DIR then continues the run after a crash (0: never)";
  command.add_option("--repeat", options.repeat, "Independent runs; figures are then means with their deviations")
      ->shows_default()
      ->number(whole(1, 10000));
  command.add_flag("--compare-plaintext", options.compare_plaintext,
                   "Follow the run step by step with a plain-text twin (local simulation only)");
  command
      .add_option("--pull-delay", options.pull_delay,
                  "Delay of the actor's answers, which hides which arm it pulled: \"until 50ms\", \"uniform 0ms 50ms\" "
                  "or \"exponential 20ms\"")
      ->type_name("DELAY");
  command
      .add_option("--reward-delay", options.reward_delay,
                  "The same of the rewarder's answers, with --separate-rewarder")
      ->type_name("DELAY");
  for (const Setting& setting : options.run.program().settings) {
    if (setting.table != "link") continue;
    add_setting_option(command, options.run, setting.path())->group("Emulated links");
  }
  add_run_output(command, options.out, options.overwrite, options.json);
}

void add_log_options(Command& command, BanditOptions& options) {
  command
      .add_option("--reward-scale", options.reward_scale,
                  "Divisor of the log's rewards, so that they are in [-1, 1] (default: 1, or the least number of one "
                  "digit that covers all)")
      ->number(real_above_zero());
  add_setting_option(command, options.run, "run.clip_rewards");
  command
      .add_option("--from", options.from,
                  "The --out of a run with --log or --checkpoint-every, whose model this one begins from")
      ->type_name("DIR");
}

void add_evaluation_options(Command& command, BanditOptions& options) {
  options.run.task = BanditTask::evaluate;
  command.add_option("--party", options.parties, "CSV of a party's features, once a party (2 to 8)")
      ->required()
      ->type_name("FILE")
      ->each_time();
  command
      .add_option("--log", options.log,
                  "The log of earlier play, CSV with arm, reward, propensity and optionally id, one event a row")
      ->required()
      ->type_name("FILE");
  for (const char* setting : {"run.held_out",
                              "run.split",
                              "run.propensities",
                              "run.least_propensity",
                              "run.clip_weights",
                              "run.arms_offered",
                              "run.full_support",
                              "role.segment",
                              "run.cells",
                              "run.answers",
                              "account.epsilon",
                              "account.rows_per_subject",
                              "account.learning_epsilon",
                              "account.learning_delta",
                              "run.steps",
                              "run.arms",
                              "run.bits",
                              "run.max_norm",
                              "run.batch",
                              "run.deal_ahead",
                              "run.insecure_seed",
                              "run.insecure_plaintext"}) {
    add_setting_option(command, options.run, setting);
  }
  add_log_options(command, options);
  add_money_options(command, options);
  command.option("--steps")->required(false)->help = "Events, the first of the log (default: all)";
  command.option("--arms")->required(false)->help = "More arms than there are in the log";
  command.option("--batch")->help = "Events that are learned at once (default: 256, or fewer where norms are large)";
}

void add_evaluate_command(Command& app) {
  Command* command = app.add_subcommand(
      "evaluate", "Say what the joint model would have earned on a log, every role a process on this machine");
  const auto options = std::make_shared<BanditOptions>();
  add_evaluation_options(*command, *options);
  add_run_output(*command, options->out, options->overwrite, options->json);
  command->footer(
      "The model learns from a part of the log; on the rest its arm is compared with the one that was played, in "
      "shares.\n" +
      std::string(evaluation_promise) +
      "\n"
      "A policy has a value where its mean weight is 1; where the log gave an arm no chance it has bounds, or "
      "nothing.\n"
      "The log of a service has best_probability and least_probability instead of propensity. Each party's shares of "
      "the bits that decide between them are in FILE.best, next to its rows.\n"
      "Examples:\n"
      "  sotto evaluate --party a.csv --party b.csv --log log.csv --max-norm 1\n"
      "  sotto evaluate --party a.csv --party b.csv --log log.csv --max-norm 1 --held-out 0.3 --split mixed --json\n"
      "  sotto evaluate --party a.csv --party b.csv --log new.csv --max-norm 1 --from learned");
  command->callback([=] {
    options->chooses_batch = command->count("--batch") == 0;
    if (command->count("--from") > 0 && command->count("--held-out") == 0) options->run.held_out = 1;
    run_bandit(*options);
  });
}

}  // namespace sotto::apps::bandit::run
