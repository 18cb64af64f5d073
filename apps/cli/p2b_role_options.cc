#include "apps/cli/p2b_role_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

namespace sotto::apps {

void add_p2b_terms_options(CLI::App& command, P2bTerms& terms) {
  command.add_option("--codes", terms.codes, "Codes of the encoder, k")->required();
  command.add_option("--arms", terms.arms, "Arms")->required();
  command.add_option("--p", terms.p, "Probability with which a user reports")
      ->capture_default_str();
  command
      .add_option("--threshold", terms.threshold,
                  "Codes that occur less often in a batch are dropped, l")
      ->capture_default_str();
}

void add_p2b_listen_options(CLI::App& command, ListenArguments& arguments,
                            const std::string& clients) {
  command
      .add_option("--listen", arguments.listen,
                  fmt::format("Where {} connect; port 0 takes a free one", clients))
      ->type_name("HOST:PORT")
      ->group("Network");
  command
      .add_option("--listen-descriptor", arguments.descriptor,
                  "A bound socket that this process inherited")
      ->group("");
}

void say_line(const std::string& line) {
  fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
}

}  // namespace sotto::apps
