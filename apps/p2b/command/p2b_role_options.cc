#include "sotto/apps/p2b/command/p2b_role_options.h"

#include <fmt/format.h>

#include "sotto/apps/kit/program/command.h"
#include "sotto/core/text/terminal_safe.h"

#include "sotto/apps/kit/program/number_options.h"
#include "sotto/apps/p2b/encoder.h"
#include "sotto/apps/p2b/model.h"

namespace sotto::apps {

void add_p2b_terms_options(Command& command, P2bTerms& terms) {
  command.add_option("--codes", terms.codes, "Codes of the encoder, k")->number(whole(1, most_codes))->required();
  command.add_option("--arms", terms.arms, "Arms")->number(whole(1, most_arms))->required();
  command.add_option("--p", terms.p, "Probability with which a user reports")->number(real(0, 1))->shows_default();
  command.add_option("--threshold", terms.threshold, "Codes that occur less often in a batch are dropped, l")
      ->number(whole())
      ->shows_default();
}

void add_p2b_listen_options(Command& command, ListenArguments& arguments, const std::string& clients) {
  command.add_option("--listen", arguments.listen, fmt::format("Where {} connect; port 0 takes a free one", clients))
      ->type_name("HOST:PORT")
      ->group("Network");
  command.add_option("--listen-descriptor", arguments.descriptor, "A bound socket that this process inherited")
      ->number(whole(0, largest_descriptor))
      ->group("");
}

}  // namespace sotto::apps
