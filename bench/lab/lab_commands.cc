#include "sotto/bench/lab/lab_commands.h"

#include <CLI/CLI.hpp>

#include "sotto/apps/commands.h"
#include "sotto/bench/lab/command/audit_command.h"
#include "sotto/bench/lab/command/bench_command.h"
#include "sotto/bench/lab/command/o3m_paper_command.h"
#include "sotto/bench/lab/command/p2b_simulate_command.h"
#include "sotto/bench/lab/command/robin_paper_command.h"

namespace sotto::apps {

void add_lab_commands(CLI::App& app) {
  // The roles of a run that is measured are this program again: it has the commands of sotto, unlisted.
  add_commands(app);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) command->group("");
  add_bench_command(app);
  CLI::App* paper = app.add_subcommand("paper", "Reproduce the figures of a paper, and compare");
  paper->require_subcommand(1);
  add_o3m_paper_command(*paper);
  add_robin_paper_command(*paper);
  paper->footer("Those of P2B are `sotto-lab simulate`. Each of them has a --help of its own.");
  add_p2b_simulate_command(app);
  add_o3m_audit_command(app);
}

}  // namespace sotto::apps
