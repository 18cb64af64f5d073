#include "sotto/apps/p2b/commands.h"

#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/p2b/encoder.h"
#include "sotto/apps/p2b/model.h"
#include "sotto/apps/p2b/roles/terms.h"

namespace sotto::apps {

void add_p2b_terms_options(Command& command, P2bTerms& terms) {
  command.add_option("--codes", terms.codes, "Codes of the encoder, k")->number(whole(1, most_codes))->required();
  command.add_option("--arms", terms.arms, "Arms")->number(whole(1, most_arms))->required();
  command.add_option("--p", terms.p, "Probability with which a user reports")->number(real(0, 1))->shows_default();
  command.add_option("--threshold", terms.threshold, "Codes that occur less often in a batch are dropped, l")
      ->number(whole())
      ->shows_default();
}

void add_p2b_command(Command& app) {
  Command* command =
      app.add_subcommand("p2b", "Users warm up each other's bandits, each by one encoded report in a crowd (P2B)");
  add_p2b_encoder_command(*command);
  add_p2b_encode_command(*command);
  add_p2b_shuffle_command(*command);
  add_p2b_fit_command(*command);
  add_p2b_epsilon_command(*command);
  add_p2b_shuffler_command(*command);
  add_p2b_server_command(*command);
  add_p2b_agent_command(*command);
  command->footer(
      "Examples:\n"
      "  sotto p2b encoder --dimension 10 --codes 1024 --out encoder.csv\n"
      "  sotto p2b shuffle --tuples tuples.csv --threshold 10 --out survivors.csv\n"
      "  sotto p2b epsilon --p 0.5 --threshold 10\n"
      "docs/p2b.md tells how it works, and how shuffler, server and agents run.");
}

}  // namespace sotto::apps
