#include "apps/bandit/run/command/bandit_options.h"

#include "apps/kit/program/command.h"
#include "apps/kit/program/number_options.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/settings/config_options.h"

namespace sotto::apps::bandit::run {

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
      "Keep every role's state in DIR/state each N steps: --resume DIR then goes on after a crash (0: never)";
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
                  "What the log's rewards are divided by, so that they are in [-1, 1] (default: 1, or the least of one "
                  "digit that holds all)")
      ->number(real_above_zero());
  add_setting_option(command, options.run, "run.clip_rewards");
  command
      .add_option("--from", options.from,
                  "The --out of a run with --log or --checkpoint-every, whose model this one begins from")
      ->type_name("DIR");
}

}  // namespace sotto::apps::bandit::run
