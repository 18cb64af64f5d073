#include "sotto/apps/bandit/command/bandit_options.h"

#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/deploy/link_options.h"
#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/kit/program/out_options.h"

namespace sotto::apps {

void add_bandit_options(Command& command, BanditOptions& options) {
  command.add_option("--party", options.parties, "CSV of a party's features, once a party (2 to 8)")
      ->required()
      ->type_name("FILE")
      ->each_time();
  command
      .add_option("--environment", options.environment,
                  "CSV with `label` or `reward_0` ..: what each arm earns in each row")
      ->required()
      ->type_name("FILE");
  command.add_option("--epsilon", options.epsilon, "Probability of exploring, 0 to 1")
      ->number(real(0, 1))
      ->shows_default();
  command.add_option("--steps", options.steps, "Steps; beyond the rows they wrap round (default: each row once)")
      ->number(whole(1));
  command.add_option("--arms", options.arms, "More arms than there are labels")->number(whole(1, max_arms));
  command.add_option("--bits", options.bits, "Fraction bits, 12 to 24; inverse matrices have more")
      ->number(whole(12, 24))
      ->shows_default();
  command
      .add_option("--max-norm", options.max_norm,
                  "Public bound on the norm of a context (default: from the parties' announced bounds)")
      ->number(real_above_zero());
  command
      .add_flag("--joint-norm-holds", options.joint_norm_holds,
                "Joint rows were seen to keep to --max-norm: for plans of roles that see only their own rows")
      ->needs("--max-norm");
  command.add_option("--repeat", options.repeat, "Independent runs; figures are then means with their deviations")
      ->shows_default()
      ->number(whole(1, 10000));
  command.add_flag("--deal-ahead", options.deal_ahead, "Deal all correlations before the first step");
  command.add_flag("--separate-rewarder", options.separate_rewarder, "Run the rewarder in a process of its own");
  command.add_flag("--compare-plaintext", options.compare_plaintext,
                   "Follow the run step by step with a plain-text twin (local simulation only)");
  command.add_flag("--reveal-model", options.reveal_model, "Open the learned model to the parties at the end");
  command
      .add_option("--insecure-seed", options.insecure_seed,
                  "Repeatable randomness: anybody can then undo the masks. For tests")
      ->type_name("N")
      ->number(whole());
  command.add_flag("--insecure-plaintext", options.insecure_plaintext,
                   "Links without TLS: everybody on the way reads them. For measurements");
  command
      .add_option("--pull-delay", options.pull_delay,
                  "Delay of the actor's answers, which hides which arm it pulled: \"until 50ms\", \"uniform 0ms 50ms\" "
                  "or \"exponential 20ms\"")
      ->type_name("DELAY");
  command
      .add_option("--reward-delay", options.reward_delay,
                  "The same of the rewarder's answers, with --separate-rewarder")
      ->type_name("DELAY");
  command
      .add_option(
          "--checkpoint-every", options.checkpoint_every,
          "Keep every role's state in DIR/state each N steps: --resume DIR then goes on after a crash (0: never)")
      ->type_name("N")
      ->number(whole(0, std::uint64_t{1} << 40));
  add_link_options(command, options.link);
  command.add_option("--out", options.out, "Folder for run.json and report.html (default: sotto-runs/<time>-<id>)")
      ->type_name("DIR");
  add_overwrite(command, options.overwrite);
  command.add_flag("--json", options.json, "Print one JSON object; without --out nothing is written");
}

}  // namespace sotto::apps
