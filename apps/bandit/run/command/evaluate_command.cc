#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/bandit/model/evaluate/opened_sums.h"
#include "apps/bandit/run/command/bandit_options.h"
#include "apps/bandit/run/command/commands.h"
#include "apps/bandit/run/command/run_bandit.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/settings/config_options.h"

namespace sotto::apps::bandit::run {

void add_evaluate_command(Command& app) {
  Command* command = app.add_subcommand(
      "evaluate", "Say what the joint model would have earned on a log, every role a process on this machine");
  const auto options = std::make_shared<BanditOptions>();
  options->run.task = BanditTask::evaluate;
  command->add_option("--party", options->parties, "CSV of a party's features, once a party (2 to 8)")
      ->required()
      ->type_name("FILE")
      ->each_time();
  command
      ->add_option("--log", options->log,
                   "What was played before, CSV with arm, reward, propensity and maybe id, an event a row")
      ->required()
      ->type_name("FILE");
  for (const char* setting :
       {"run.held_out", "run.split", "run.propensities", "run.least_propensity", "run.clip_weights", "run.arms_offered",
        "run.full_support", "run.steps", "run.arms", "run.bits", "run.max_norm", "run.batch", "run.deal_ahead",
        "run.insecure_seed", "run.insecure_plaintext"}) {
    add_setting_option(*command, options->run, setting);
  }
  add_log_options(*command, *options);
  command->option("--steps")->required(false)->help = "Events, the first of the log (default: all)";
  command->option("--arms")->required(false)->help = "More arms than there are in the log";
  command->option("--batch")->help = "Events that are learned at once (default: 256, or fewer where norms are large)";
  add_run_output(*command, options->out, options->overwrite, options->json);
  command->footer(
      "The model learns from a part of the log; on the rest its arm is compared with the one that was played, in "
      "shares.\n"
      "Sums over 1,000 events and more are opened, to the owner of the log.\n" +
      std::string(single_customer_warning) +
      "\n"
      "A policy has a value where its mean weight is 1; where the log gave an arm no chance it has bounds, or "
      "nothing.\n"
      "Examples:\n"
      "  sotto evaluate --party a.csv --party b.csv --log log.csv --max-norm 1\n"
      "  sotto evaluate --party a.csv --party b.csv --log log.csv --max-norm 1 --held-out 0.3 --split mixed --json\n"
      "  sotto evaluate --party a.csv --party b.csv --log new.csv --max-norm 1 --from learned");
  command->callback([=] {
    options->chooses_batch = command->count("--batch") == 0;
    // A model that learned before may be evaluated on all there is.
    if (command->count("--from") > 0 && command->count("--held-out") == 0) options->run.held_out = 1;
    run_bandit(*options);
  });
}

}  // namespace sotto::apps::bandit::run
