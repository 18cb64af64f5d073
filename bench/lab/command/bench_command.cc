#include "sotto/bench/lab/lab_commands.h"

#include "sotto/apps/kit/program/command.h"

namespace sotto::apps {

void add_bench_command(Command& app) {
  Command* bench = app.add_subcommand("bench", "Measure this program on this machine, beside what the machine allows");
  add_bench_floor(*bench);
  add_bench_bandit(*bench);
  add_bench_primitives(*bench);
  add_bench_wan(*bench);
  add_bench_o3m(*bench);
  add_bench_p2b(*bench);
  add_bench_service(*bench);
  bench->footer(
      "Each of them has a --help of its own.\n"
      "Examples:\n"
      "  sotto-lab bench floor --parties 2\n"
      "  sotto-lab bench bandit --out bench/results/bandit.md\n"
      "  sotto-lab bench primitives --primitive compare --parties 2");
}

}  // namespace sotto::apps
