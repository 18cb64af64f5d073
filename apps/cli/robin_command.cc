#include "apps/cli/robin_command.h"

#include <CLI/CLI.hpp>

namespace sotto::apps {

void add_robin_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "robin", "Clients learn one linear bandit with user-level differential privacy (ROBIN)");
  // Subcommands are added here, one line each.
  command->require_subcommand(1);
}

}  // namespace sotto::apps
