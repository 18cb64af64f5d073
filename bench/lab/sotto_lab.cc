// sotto-lab measures sotto, reproduces the papers' experiments and shows the leakage of O3M.
#include "apps/commands.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/main.h"
#include "bench/lab/lab_commands.h"

namespace sotto::apps::lab {
namespace {

void add_bench_commands(Command& app) {
  Command* bench = app.add_subcommand("bench", "Measure this program on this machine, next to what the machine allows");
  add_bench_floor(*bench);
  add_bench_bandit(*bench);
  add_bench_modes(*bench);
  add_bench_primitives(*bench);
  add_bench_wan(*bench);
  add_bench_o3m(*bench);
  add_bench_p2b(*bench);
  add_bench_service(*bench);
  add_bench_live(*bench);
  bench->footer(
      "Each of them has a --help of its own.\n"
      "Examples:\n"
      "  sotto-lab bench floor --parties 2\n"
      "  sotto-lab bench bandit --out bench/results/bandit.md\n"
      "  sotto-lab bench primitives --primitive compare --parties 2");
}

void add_lab_commands(Command& app) {
  // The roles of a measured run are processes of this program, so this program also has all commands of sotto.
  add_commands(app);
  for (const auto& command : app.subcommands()) command->hide();
  add_bench_commands(app);
  Command* paper = app.add_subcommand("paper", "Reproduce the figures of a paper, and compare");
  add_hannun_paper_command(*paper);
  add_o3m_paper_command(*paper);
  add_robin_paper_command(*paper);
  add_batches_paper_command(*paper);
  paper->footer("Those of P2B are `sotto-lab simulate`. Each of them has a --help of its own.");
  add_p2b_simulate_command(app);
  add_soak_command(app);
  add_o3m_audit_command(app);
}

}  // namespace
}  // namespace sotto::apps::lab

int main(int argc, char** argv) {
  return sotto::apps::run_main({"sotto-lab", "measurements and reproduced experiments of sotto",
                                "Examples:\n"
                                "  sotto-lab bench floor --parties 2\n"
                                "  sotto-lab paper o3m --quick\n"
                                "  sotto-lab simulate synthetic --users 100000\n"
                                "  sotto-lab audit --out audit.html\n",
                                sotto::apps::lab::add_lab_commands},
                               argc, argv);
}
