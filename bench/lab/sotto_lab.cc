// sotto-lab: the laboratory. It measures sotto, reproduces the papers' experiments and shows what the fast path leaks; nobody
// needs it to run a bandit.
#include "sotto/apps/kit/program/main.h"
#include "sotto/bench/lab/lab_commands.h"

int main(int argc, char** argv) {
  return sotto::apps::run_main({"sotto-lab", "measurements and reproduced experiments of sotto",
                                "Examples:\n"
                                "  sotto-lab bench floor --parties 2\n"
                                "  sotto-lab paper o3m --quick\n"
                                "  sotto-lab simulate synthetic --users 100000\n"
                                "  sotto-lab audit --out audit.html\n",
                                sotto::apps::add_lab_commands},
                               argc, argv);
}
