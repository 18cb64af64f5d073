// sotto: private contextual bandits, the program that organisations run.
#include "apps/commands.h"
#include "apps/kit/program/main.h"

int main(int argc, char** argv) {
  return sotto::apps::run_main({"sotto", "contextual bandits for organisations that share people, not data",
                                "Examples:\n"
                                "  sotto demo\n"
                                "  sotto prepare digits --out data\n"
                                "  sotto bandit --party data/party_0.csv --party data/party_1.csv --environment "
                                "data/environment.csv --max-norm 1\n",
                                sotto::apps::add_commands},
                               argc, argv);
}
